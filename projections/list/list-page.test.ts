import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { LogTrimmedError } from '../../streams/event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { CONFIG_MAPS, givenViews, selection, type GivenEvent } from '../given.fixture.ts';
import { pageAt, pageNow, type ListPage, type PageQuery } from './list-page.ts';

const everything: PageQuery = { selection: selection(), after: '', limit: 0 };
const shown = ({ items }: ListPage) =>
  Array.from(items, ({ path, resourceVersion: version }) => `${path}@${String(version)}`);

const pageShown = (page: ListPage) => [shown(page), page.lastPath];

async function givenObjects(...paths: string[]) {
  const given = await givenViews();
  if (paths.length > 0) await given.append(...paths.map((path) => ({ path })));
  return { ...given, past: given.resourceViews.of(CONFIG_MAPS) };
}

describe('a page of now', () => {
  it('has the objects in the order of their paths', async () => {
    const { past, stop } = await givenObjects('b/a', 'a/z', 'a-b/x', 'a/b');
    const page = pageNow(past.objects, everything);
    await stop();

    // As etcd orders them: '-' stands before '/'.
    expect(shown(page)).toEqual(['a-b/x@3', 'a/b@4', 'a/z@2', 'b/a@1']);
  });

  it('keeps to a namespace whose name begins like another', async () => {
    const { past, stop } = await givenObjects('a/1', 'ab/2', 'a-b/3');
    const page = pageNow(past.objects, { ...everything, selection: selection({ namespace: 'a' }) });
    await stop();

    expect(shown(page)).toEqual(['a/1@1']);
  });

  it('is whole without a limit where a namespace has nothing, and others have', async () => {
    const { past, stop } = await givenObjects('a/1', 'b/2');
    const page = pageNow(past.objects, {
      ...everything,
      selection: selection({ namespace: 'ab' }),
    });
    expect(page).toMatchObject({ items: [], lastPath: '', remaining: undefined });
    await stop();
  });

  it('ends at the limit and says how many remain', async () => {
    const { past, stop } = await givenObjects('a/1', 'a/2', 'a/3', 'a/4', 'a/5');
    const first = pageNow(past.objects, { ...everything, limit: 2 });
    const second = pageNow(past.objects, { ...everything, limit: 2, after: first.lastPath });
    const third = pageNow(past.objects, { ...everything, limit: 2, after: second.lastPath });
    await stop();

    expect([first, second, third].map(({ items }) => items.length)).toEqual([2, 2, 1]);
    expect([first, second, third].map(({ remaining }) => remaining)).toEqual([3, 1, undefined]);
    expect(third.lastPath).toBe('');
  });

  it('does not count what a selector may leave out', async () => {
    const { past, append, stop } = await givenObjects();
    await append({ path: 'a/1', labels: { x: 'y' } }, { path: 'a/2' }, { path: 'a/3' });
    const query = { ...everything, selection: selection({ labels: 'x=y' }), limit: 1 };
    const page = pageNow(past.objects, query);
    await stop();

    expect(shown(page)).toEqual(['a/1@1']);
    expect(page.remaining).toBeUndefined();
  });
});

describe('a page of the past', () => {
  it('is the state as it was, for any history, from window and history alike', async () => {
    const step = fc.record({
      name: fc.integer({ min: 0, max: 9 }),
      remove: fc.boolean(),
      big: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { append, resourceViews, objects, applied, stop } = await givenViews();
        const states: string[][] = [[]];
        const past = resourceViews.of(CONFIG_MAPS);
        for (const { name, remove, big } of steps) {
          const path = `ns/${String(name)}`;
          const previous = objects.versionOf(CONFIG_MAPS, path);
          const type = previous === 0 ? 'added' : remove ? 'deleted' : 'modified';
          // Some are so big that the window forgets what was before them.
          const data = big ? 'x'.repeat(2 * 1024 * 1024) : '';
          const event: GivenEvent = { path, previous, type, data };
          await append(event);
          states[applied.current] = shown(pageNow(past.objects, everything));
        }
        for (const [version, state] of states.entries()) {
          const at = resourceVersion(version);
          expect(shown(await pageAt(past, at, everything))).toEqual(state);
          const half = Math.ceil(state.length / 2);
          const page = await pageAt(past, at, { ...everything, limit: Math.max(1, half) });
          const rest = state.length - page.items.length;
          expect(page.remaining ?? 0).toBe(rest);
          if (rest > 0) {
            const next = await pageAt(past, at, { ...everything, after: page.lastPath });
            expect([...shown(page), ...shown(next)]).toEqual(state);
          }
        }
        await stop();
      }),
      { numRuns: 25 },
    );
  });
});

describe('a long page of the far past', () => {
  const COUNT = 2_500;
  const names = Array.from({ length: COUNT }, (_, i) => `a/${String(i).padStart(4, '0')}`);

  async function givenFarPast() {
    const given = await givenViews();
    await given.append(
      ...names.map((path, i) => ({ path, ...(i % 2 === 0 ? { labels: { even: 'yes' } } : {}) })),
    );
    const data = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 6; i += 1) await given.append({ path: `a/z${String(i)}`, data });
    await given.append({ path: names[7] ?? '', type: 'deleted', previous: 8 });
    const past = given.resourceViews.of(CONFIG_MAPS);
    expect(past.window.reachesBackTo(resourceVersion(COUNT))).toBe(false);
    return {
      ...given,
      past,
      at: (query: PageQuery) => pageAt(past, resourceVersion(COUNT), query),
    };
  }

  it('is whole, whatever its limit is', async () => {
    const { at, past, stop } = await givenFarPast();
    for (const limit of [0, 512, 1_000, 1_024, 2_048, COUNT - 1, COUNT, COUNT + 1]) {
      const paths: string[] = [];
      let after = '';
      do {
        const { items, lastPath, remaining } = await at({ ...everything, limit, after });
        paths.push(...Array.from(items, ({ path }) => path));
        const behind = COUNT - paths.length;
        const estimate = past.objects.countAfter('', lastPath);
        const told = behind > 64 ? estimate : behind;
        expect(remaining).toBe(lastPath === '' ? undefined : told);
        after = lastPath;
      } while (after !== '');
      expect(paths).toEqual(names);
    }
    await stop();
  });

  it('reads what has changed since, and does not count all that is behind it', async () => {
    const { at, log, store, objects, stop } = await givenFarPast();
    const { at: readRecord } = log;
    let [read, walked] = [0, 0];
    log.at = (version) => {
      read += 1;
      return readRecord.call(log, version);
    };
    const { pathsAt } = store;
    store.pathsAt = function* (...where) {
      for (const path of pathsAt.apply(store, where)) {
        walked += 1;
        yield path;
      }
    };
    const page = await at({ ...everything, limit: 100 });
    expect(page.items.length).toBe(100);
    // The one that is gone now; all others are the same values.
    expect(read).toBe(1);
    expect(
      [...page.items].filter((item) => item !== objects.get(CONFIG_MAPS, item.path)).length,
    ).toBe(1);
    expect(walked).toBeLessThan(110);
    // As many as there are now: it is an estimate.
    expect(page.remaining).toBe(objects.of(CONFIG_MAPS).countAfter('', page.lastPath));
    await stop();
  });

  it('reads none of its objects where few of them will be looked at, and then those', async () => {
    const { at, log, stop } = await givenFarPast();
    const { items: all } = await at(everything);
    const readRecord = log.at.bind(log);
    let read = 0;
    log.at = (version) => {
      read += 1;
      return readRecord(version);
    };
    const { items } = await at({ ...everything, isUnread: true });
    expect(read).toBe(0);
    expect(Array.from(items, ({ json }) => json.toString())).toEqual(
      Array.from(all, ({ json }) => json.toString()),
    );
    expect(read).toBeGreaterThan(0);
    await stop();
  });

  it('of many that are others now reads no more than some before it is shown', async () => {
    const given = await givenViews();
    const count = 17_000;
    const each = Array.from({ length: count }, (_, n) => `a/${String(n).padStart(5, '0')}`);
    for (const type of ['added', 'deleted'] as const) {
      for (let from = 0; from < count; from += 1_000) {
        const some = each.slice(from, from + 1_000);
        const previous = (n: number) => (type === 'added' ? 0 : from + n + 1);
        await given.append(...some.map((path, n) => ({ path, type, previous: previous(n) })));
      }
    }
    const data = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 6; i += 1) await given.append({ path: `a/z${String(i)}`, data });
    const past = given.resourceViews.of(CONFIG_MAPS);
    const readRecord = given.log.at.bind(given.log);
    let read = 0;
    given.log.at = (version) => {
      read += 1;
      return readRecord(version);
    };
    const walk = past.history.pathsAt.bind(past.history);
    let walked = 0;
    past.history.pathsAt = function* (...asked) {
      for (const one of walk(...asked)) {
        walked += 1;
        yield one;
      }
    };
    const page = await pageAt(past, resourceVersion(count), everything);
    // None behind them is looked for before it is listed, and none of these is held.
    expect([read, walked]).toEqual([16_384, 16_384]);
    expect(page.items.length).toBeGreaterThanOrEqual(16_384);
    const { items } = page;
    if (!('parts' in items)) throw new Error('all of them are held');
    const parts = [...items.parts].slice(1);
    expect([read, walked]).toEqual([16_384, count]);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(256);
    const last = parts.at(-1)?.at(-1)?.json.toString();
    expect(last).toContain(`"resourceVersion":"${String(count)}"`);
    expect(shown(page)).toEqual(each.map((path, n) => `${path}@${String(n + 1)}`));

    const listing = items.parts[Symbol.iterator]();
    for (let part = 0; part < 2; part += 1) listing.next();
    past.history.readableSince = () => resourceVersion(count + 1);
    expect(() => listing.next()).toThrow(LogTrimmedError);
    await given.stop();
  });

  it('is whole for a selector, and for one name', async () => {
    const { at, stop } = await givenFarPast();
    const even = names.filter((_, i) => i % 2 === 0);
    for (const limit of [0, 512, 1_024, 1_250]) {
      const paths: string[] = [];
      let after = '';
      do {
        const isUnread = true;
        const query = { selection: selection({ labels: 'even=yes' }), limit, after, isUnread };
        const { items, lastPath } = await at(query);
        paths.push(...Array.from(items, ({ path }) => path));
        after = lastPath;
      } while (after !== '');
      expect(paths).toEqual(even);
    }
    const one = await at({ ...everything, selection: selection({ namespace: 'a', name: '000' }) });
    expect(one.items).toEqual([]);
    const other = await at({
      ...everything,
      selection: selection({ namespace: 'a', name: '0007' }),
    });
    expect(shown(other)).toEqual(['a/0007@8']);
    await stop();
  });

  it('is the same where most of what is looked at was not there then, wherever it pauses', async () => {
    const { at, past, stop } = await givenFarPast();
    const { history } = past;
    const stepsAt = history.stepsAt.bind(history);
    // So long does each look take, that a turn is over at every step.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
    const queries = [
      everything,
      ...[1, 2, 255, 256, 257, COUNT].map((limit) => ({ ...everything, limit })),
      { ...everything, selection: selection({ labels: 'even=yes' }), limit: 3 },
      { ...everything, after: names[COUNT - 2] ?? '', limit: 1 },
      { ...everything, after: names[COUNT - 1] ?? '', limit: 1 },
    ];
    const expected: unknown[] = [];
    for (const query of queries) expected.push(pageShown(await at(query)));
    let steps = 0;
    history.stepsAt = function* (...args) {
      for (const step of stepsAt(...args)) {
        for (let more = steps % 3; more > 0; more -= 1) yield undefined;
        steps += 1;
        yield step;
      }
      yield undefined;
      yield undefined;
    };
    for (const [index, query] of queries.entries())
      expect(pageShown(await at(query)), JSON.stringify(query)).toEqual(expected[index]);
    expect(steps).toBeGreaterThan(COUNT);
    clock.mockRestore();
    await stop();
  });

  it('lets others have their turn, and ends when the log is cut meanwhile', async () => {
    const { at, store, stop } = await givenFarPast();
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (turns < 100) setImmediate(count);
    };
    setImmediate(count);
    await at(everything);
    expect(turns).toBeGreaterThanOrEqual(2);
    const cut = at(everything);
    setImmediate(() => {
      store.readableSince = () => resourceVersion(COUNT + 1);
    });
    await expect(cut).rejects.toThrow(LogTrimmedError);
    await stop();
  });
});
