import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { FieldsOf } from '../../api/kinds/resource-definition.ts';
import { objectAt, stringAt } from '../../api/json/json.ts';
import type { StringMap } from '../../api/meta/object-meta.ts';
import { NO_LABEL, parseLabelSelector } from '../../api/selectors/label-selector.ts';
import { CONFIG_MAPS, givenViews, selection, type GivenEvent } from '../given.fixture.ts';
import type { ListPage, PageQuery } from './list-page.ts';
import { pageInTurns } from './page-in-turns.ts';

const paths = ({ items }: ListPage): string[] => Array.from(items, ({ path }) => path);

/** Each page behind the one before it, as of the version that is applied. */
async function pagesOf(given: Given, query: PageQuery): Promise<string[]> {
  const past = given.resourceViews.of(CONFIG_MAPS);
  const version = given.applied.current;
  const all: string[] = [];
  for (let after = ''; ;) {
    const page = await pageInTurns(past, version, { ...query, after });
    all.push(...paths(page));
    if (page.lastPath === '') return all;
    after = page.lastPath;
  }
}

type Given = Awaited<ReturnType<typeof givenViews>>;

const OBJECTS = 300;
const nameOf = (i: number): string => `a/${String(i).padStart(3, '0')}`;

/** More than an index waits for to be read. */
async function givenMany(): Promise<Given> {
  const given = await givenViews();
  const labels = (i: number) => ({ shard: String(i % 3) });
  await given.append(
    ...Array.from({ length: OBJECTS }, (_, i) => ({ path: nameOf(i), labels: labels(i) })),
  );
  return given;
}

const SHARD = selection({ labels: 'shard=1' });
const ofShard = Array.from({ length: OBJECTS }, (_, i) => nameOf(i)).filter((_, i) => i % 3 === 1);

/** An object takes longer than a turn lasts. */
const SLOWLY: FieldsOf = (object) => {
  const until = performance.now() + 6;
  while (performance.now() < until);
  return { isOdd: String(Number(stringAt(objectAt(object, 'metadata'), 'name')) % 2 === 1) };
};

describe('a page in turns', () => {
  it('has what the labels select, for any history of objects that memory holds or not', async () => {
    const label = fc.option(fc.constantFrom('x', 'y'), { nil: undefined });
    const step = fc.record({ name: fc.integer({ min: 0, max: 20 }), isGone: fc.boolean(), label });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(3), async (steps, limit) => {
        const given = await givenMany();
        const there = new Map<string, StringMap | undefined>(
          Array.from({ length: OBJECTS }, (_, i) => [nameOf(i), { shard: String(i % 3) }]),
        );
        for (const [at, { name, isGone, label: value }] of steps.entries()) {
          const path = nameOf(name);
          const previous = given.objects.versionOf(CONFIG_MAPS, path);
          const type = previous === 0 ? 'added' : isGone ? 'deleted' : 'modified';
          const labels = value === undefined ? undefined : { shard: '1', to: value };
          const event: GivenEvent = { path, previous, type };
          await given.append(labels === undefined ? event : { ...event, labels });
          if (type === 'deleted') there.delete(path);
          else there.set(path, labels);
          if (at % 7 !== 0) continue;
          for (const text of ['shard=1', 'to in (x,y)', 'shard=1,to=x', 'to!=x', '!shard']) {
            const parsed = parseLabelSelector(text);
            const selector = parsed.ok ? parsed.selector : NO_LABEL;
            const wanted = [...there]
              .filter(([, labelled]) => selector.matches(labelled))
              .map(([one]) => one);
            const query = { selection: selection({ labels: text }), after: '', limit: limit * 50 };
            expect(await pagesOf(given, query), text).toEqual(wanted.sort());
          }
        }
        await given.stop();
      }),
      { numRuns: 15 },
    );
  });

  it('says that more objects are behind it, whether they are selected or not', async () => {
    const given = await givenMany();
    const past = given.resourceViews.of(CONFIG_MAPS);
    const query = { selection: SHARD, after: '', limit: ofShard.length };
    const page = await pageInTurns(past, given.applied.current, query);
    await given.stop();

    expect(paths(page)).toEqual(ofShard);
    // As kube-apiserver does: there is one object more.
    expect(page.lastPath).toBe(ofShard.at(-1));
  });

  it('looks at those alone that it may select', async () => {
    const given = await givenMany();
    const past = given.resourceViews.of(CONFIG_MAPS);
    const query = { selection: SHARD, after: '', limit: 0 };
    const page = await pageInTurns(past, given.applied.current, query);
    await given.stop();

    expect(paths(page)).toEqual(ofShard);
    expect(page.looked).toBe(ofShard.length);
  });

  it('needs no index for a selector that asks for no value', async () => {
    const given = await givenMany();
    const past = given.resourceViews.of(CONFIG_MAPS);
    const query = { selection: selection({ labels: '!shard' }), after: '', limit: 0 };
    const page = await pageInTurns(past, given.applied.current, query);
    const making = past.objects.labelled();
    await making;
    await given.stop();

    expect(paths(page)).toEqual([]);
    expect(making).toBeInstanceOf(Promise);
  });

  it('is as of its version, where objects are changed while the index of labels is made', async () => {
    const given = await givenMany();
    const past = given.resourceViews.of(CONFIG_MAPS);
    const query = { selection: SHARD, after: '', limit: 0 };
    const page = pageInTurns(past, given.applied.current, query);
    expect(page).toBeInstanceOf(Promise);
    const [gone, ...others] = ofShard;
    const previous = given.objects.versionOf(CONFIG_MAPS, gone ?? '');
    await given.append(
      { path: gone ?? '', previous, type: 'deleted' },
      { path: nameOf(290), previous: given.objects.versionOf(CONFIG_MAPS, nameOf(290)) },
      { path: 'a/new', labels: { shard: '1' } },
    );
    expect(paths(await page)).toEqual(ofShard);
    const now = await pageInTurns(past, given.applied.current, query);
    await given.stop();

    expect(paths(now)).toEqual([...others.filter((path) => path !== nameOf(290)), 'a/new']);
  });

  it('lets others have their turn between objects that take long, and is as of its version', async () => {
    const given = await givenViews();
    const names = Array.from({ length: 6 }, (_, i) => `a/${String(i)}`);
    await given.append(...names.map((path) => ({ path })));
    const past = given.resourceViews.of(CONFIG_MAPS);
    const odd = { ...selection({ fields: 'isOdd=true' }), fieldsOf: SLOWLY };
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    const page = pageInTurns(past, given.applied.current, { selection: odd, after: '', limit: 2 });
    setImmediate(count);
    await given.append({ path: 'a/5', previous: 6, type: 'deleted' }, { path: 'a/11' });
    const made = await page;
    isDone = true;
    const rest = { selection: odd, after: made.lastPath, limit: 2 };
    const next = await pageInTurns(past, given.applied.current, rest);
    await given.stop();

    expect(paths(made)).toEqual(['a/1', 'a/3']);
    expect(made.lastPath).toBe('a/3');
    expect(turns).toBeGreaterThanOrEqual(2);
    // As of now: 11 is there, and 5 is not any more.
    expect(paths(next)).toEqual([]);
  });
});
