import { describe, expect, it } from 'vitest';

import { LogUnavailableError, type EventReader } from '../streams/event-log.ts';
import type { CommittedEvent, LoggedEvent } from '../streams/event.ts';
import { NO_CUTS } from '../streams/log-cuts.ts';
import { resourceVersion } from '../streams/resource-version.ts';
import { CONFIG_MAPS, givenEvent, givenViews, loggedEvent, selection } from './given.fixture.ts';
import { ManualClock } from '../api/meta/manual-clock.fixture.ts';
import { pageAt } from './list/list-page.ts';
import { MemoryObjectStore } from './store/memory-object-store.ts';
import { ObjectView } from './objects/object-view.ts';
import { parsedObject } from './objects/stored-object.ts';
import type { Projection } from './fold/projection.ts';
import { viewsOver, type ViewsOptions } from './views.ts';

type Given = Awaited<ReturnType<typeof givenViews>>;

function fail(error: unknown): never {
  throw error;
}

/** Another process on the same log and the same local store. */
async function restarted({ log, store }: Given, options: ViewsOptions = {}) {
  const views = viewsOver({ log, store, objects: new ObjectView() }, new ManualClock(), options);
  await views.projector.start(fail);
  return views;
}

describe('the fold', () => {
  it('tells the views of what took effect, and of what it replaced', async () => {
    const seen: CommittedEvent[] = [];
    const view: Projection = { name: 'seen', apply: (event) => void seen.push(event) };
    const { append, verdicts } = await givenViews([view]);
    await append({}, { previous: 1, data: 'two' }, { previous: 1, data: 'late' });
    await append({ previous: 2, type: 'deleted' });
    expect(verdicts).toEqual(['effective', 'effective', 'overtaken', 'effective']);
    expect(
      seen.map(({ resourceVersion: version, type, previous }) => [
        version,
        type,
        previous?.resourceVersion,
      ]),
    ).toEqual([
      [1, 'added', undefined],
      [2, 'modified', 1],
      [4, 'deleted', 2],
    ]);
    expect(seen.map(({ object }) => parsedObject(object)['metadata'])).toMatchObject([
      { resourceVersion: '1' },
      { resourceVersion: '2' },
      { resourceVersion: '4' },
    ]);
  });

  it('has folded a whole batch before a listener is told of one of its events', async () => {
    const { log, objects, projector } = await givenViews();
    const told: [number, number][] = [];
    projector.listen((event) => {
      told.push([event.resourceVersion, objects.of(CONFIG_MAPS).size]);
    });
    await log.append([givenEvent({ path: 'ns/a' }), givenEvent({ path: 'ns/b' })]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it('tells the listener of losers and copies, too', async () => {
    const { append, projector } = await givenViews();
    const told: [string, boolean][] = [];
    projector.listen((_event, verdict, committed) => {
      told.push([verdict, committed !== undefined]);
    });
    await append({ writer: 'w', sequence: 1 }, { writer: 'w', sequence: 1 }, {});
    expect(told).toEqual([
      ['effective', true],
      ['duplicate', false],
      ['overtaken', false],
    ]);
  });

  it('moves on with events that change nothing', async () => {
    const { append, applied } = await givenViews();
    await append({}, {}, {});
    expect(applied.current).toBe(3);
  });
});

describe('a start', () => {
  it('goes on from the local store, with all that the log has besides', async () => {
    const given = await givenViews();
    await given.append(
      { path: 'ns/a' },
      { path: 'ns/b' },
      { path: 'ns/a', previous: 1, data: 'x' },
    );
    await given.projector.stop();
    await given.log.append([givenEvent({ path: 'ns/c' })]);
    const { objects, applied } = await restarted(given);
    expect(applied.current).toBe(4);
    expect([...objects.of(CONFIG_MAPS).inOrder('')].map(({ path }) => path)).toEqual([
      'ns/a',
      'ns/b',
      'ns/c',
    ]);
    expect(objects.versionOf(CONFIG_MAPS, 'ns/a')).toBe(3);
  });

  it('remembers whose events were judged', async () => {
    const given = await givenViews();
    await given.append({ writer: 'w', sequence: 5 }, { previous: 1, type: 'deleted' });
    await given.projector.stop();
    const { objects } = await restarted(given);
    await given.log.append([givenEvent({ writer: 'w', sequence: 5 })]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(objects.versionOf(CONFIG_MAPS, 'ns/a')).toBe(0);
  });

  it('does not forget that there was something which is gone', async () => {
    const given = await givenViews();
    await given.append(
      { path: 'ns/a' },
      { path: 'ns/b' },
      { path: 'ns/b', previous: 2, type: 'deleted' },
    );
    await given.append({ resource: 'core/secrets' });
    await given.append({ resource: 'core/secrets', previous: 4, type: 'deleted' });
    await given.projector.stop();
    const { resourceViews } = await restarted(given);
    const namesAt = async (resource: string, version: number): Promise<string[]> => {
      const query = { selection: selection(), after: '', limit: 0 };
      const { items } = await pageAt(resourceViews.of(resource), resourceVersion(version), query);
      return [...items].map(({ path }) => path);
    };
    expect(await namesAt(CONFIG_MAPS, 2)).toEqual(['ns/a', 'ns/b']);
    expect(await namesAt(CONFIG_MAPS, 1)).toEqual(['ns/a']);
    expect(await namesAt(CONFIG_MAPS, 5)).toEqual(['ns/a']);
    expect(await namesAt('core/secrets', 4)).toEqual(['ns/a']);
    expect(await namesAt('core/secrets', 5)).toEqual([]);
  });

  it('takes as long as the log moves on, and no longer', async () => {
    const clock = new ManualClock();
    let give: (batch: readonly LoggedEvent[]) => void = () => undefined;
    async function* read(): AsyncGenerator<readonly LoggedEvent[]> {
      for (;;) yield await new Promise<readonly LoggedEvent[]>((resolve) => (give = resolve));
    }
    const log: EventReader = {
      read,
      at: () => undefined,
      oldest: () => Promise.resolve(resourceVersion(1)),
      cuts: () => NO_CUTS,
      newest: () => Promise.resolve(resourceVersion(3)),
    };
    const store = new MemoryObjectStore();
    const { projector } = viewsOver({ log, store, objects: new ObjectView() }, clock);
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    let outcome: unknown = 'under way';
    projector.start(fail).then(
      () => (outcome = 'started'),
      (error: unknown) => (outcome = error),
    );
    for (const version of [1, 2]) {
      await turn();
      give([loggedEvent(version, { path: `ns/${String(version)}` })]);
      await turn();
      clock.advance(30_000);
      await turn();
      expect(outcome).toBe('under way');
    }
    clock.advance(30_000);
    await turn();
    expect(outcome).toBeInstanceOf(LogUnavailableError);
  });

  it('lets others have their turn while it loads many objects', async () => {
    const given = await givenViews();
    const many = Array.from({ length: 1_000 }, (_, index) => ({ path: `ns/${String(index)}` }));
    await given.append(...many);
    await given.projector.stop();
    let turns = 0;
    let isStarted = false;
    const count = (): void => {
      turns += 1;
      if (!isStarted) setImmediate(count);
    };
    setImmediate(count);
    const { objects } = await restarted(given);
    isStarted = true;
    expect(turns).toBeGreaterThan(2);
    expect(objects.of(CONFIG_MAPS).size).toBe(1_000);
  });

  it('reads no more objects than a part of those that may be in memory, and the others when they are asked for', async () => {
    const given = await givenViews();
    const many = Array.from({ length: 1_000 }, (_, index) => ({ path: `ns/${String(index)}` }));
    await given.append(...many);
    await given.projector.stop();
    const { at } = given.log;
    let read = 0;
    given.log.at = (version) => {
      read += 1;
      return at.call(given.log, version);
    };
    const { objects } = await restarted(given, { warmBytesMax: 80_000 });
    expect(read).toBeLessThan(20);
    const all = [...objects.of(CONFIG_MAPS).inOrder('')];
    expect(all).toHaveLength(1_000);
    read = 0;
    for (const { json, path } of all) expect(json.toString()).toContain(`"uid-${path}"`);
    expect(read).toBeLessThanOrEqual(1_000);
  });

  it('is refused by a store that knows an object which the log does not have', async () => {
    const given = await givenViews();
    await given.append({});
    await given.projector.stop();
    given.log.at = () => undefined;
    await expect(restarted(given)).rejects.toThrow('ns/a is not in the log any more');
  });
});

describe('reading', () => {
  it('that ends says why', async () => {
    const { log, store, clock } = await givenViews();
    const broken: EventReader = {
      read() {
        throw new LogUnavailableError('gone');
      },
      at: (version) => log.at(version),
      oldest: () => log.oldest(),
      cuts: () => log.cuts(),
      newest: () => log.newest(),
    };
    const { projector } = viewsOver({ log: broken, store, objects: new ObjectView() }, clock);
    const failure = new Promise((resolve) => {
      void projector.start(resolve);
    });
    expect(await failure).toBeInstanceOf(LogUnavailableError);
  });

  it('ends with stop, and nothing is folded behind it', async () => {
    const { log, applied, projector, append } = await givenViews();
    await append({});
    await projector.stop();
    await log.append([givenEvent({ path: 'ns/b' })]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(applied.current).toBe(1);
  });
});
