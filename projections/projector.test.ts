import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LogUnavailableError, type EventReader } from '../streams/event-log.ts';
import type { CommittedEvent, LoggedEvent } from '../streams/event.ts';
import { NO_CUTS } from '../streams/log-cuts.ts';
import { resourceVersion } from '../streams/resource-version.ts';
import type { Verdict } from './fold/arbiter.ts';
import { CONFIG_MAPS, givenEvent, givenViews, loggedEvent, selection } from './given.fixture.ts';
import { ManualClock } from '../api/meta/manual-clock.fixture.ts';
import { pageAt } from './list/list-page.ts';
import { MemoryObjectStore } from './objects/memory-object-store.ts';
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
      return items.map(({ path }) => path);
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

/** A log that has all this, and gives it in batches of so many. */
function readerOf(events: readonly LoggedEvent[], batch: number): EventReader {
  const newest = resourceVersion(events.length);
  async function* read(from: number, signal: AbortSignal): AsyncGenerator<readonly LoggedEvent[]> {
    for (let at = from - 1; at < events.length; at += batch) yield events.slice(at, at + batch);
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
  }
  return {
    read,
    at: (version) => events[version - 1],
    oldest: () => Promise.resolve(resourceVersion(1)),
    cuts: () => NO_CUTS,
    newest: () => Promise.resolve(newest),
  };
}

async function folded(log: EventReader, farBehind: number) {
  const store = new MemoryObjectStore();
  const told: CommittedEvent[] = [];
  const tell: Projection = { name: 'told', apply: (event) => void told.push(event) };
  const views = viewsOver({ log, store, objects: new ObjectView() }, new ManualClock(), {
    more: [tell],
    farBehind,
  });
  const { objects, applied, resourceViews, projector } = views;
  // A reader has looked before: it must not seem as if nothing had happened since.
  const { window } = resourceViews.of(CONFIG_MAPS);
  const verdicts: Verdict[] = [];
  projector.listen((_event, verdict) => verdicts.push(verdict));
  await projector.start(fail);
  await projector.stop();
  return { store, objects, applied, verdicts, told, window };
}

describe('a start far behind the end', () => {
  const record = fc.record({
    path: fc.constantFrom('ns/a', 'ns/b', 'other/c'),
    resource: fc.constantFrom(CONFIG_MAPS, 'core/secrets'),
    type: fc.constantFrom('added', 'modified', 'deleted', 'marker'),
    back: fc.nat(6),
    writer: fc.constantFrom('one', 'two'),
    sequence: fc.nat(40),
  });

  it('comes to the same as folding every event does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        async (records, batch) => {
          const events = records.map(({ type, back, ...given }, index): LoggedEvent => {
            const previous = type === 'added' ? 0 : Math.max(0, index - back);
            const changed = type === 'marker' ? 'modified' : type;
            const event = loggedEvent(index + 1, { ...given, type: changed, previous });
            return { ...event, type, time: (index * 7) % 11 };
          });
          const log = readerOf(events, batch);
          const [skimmed, whole] = [await folded(log, 0), await folded(log, events.length)];
          expect(stateOf(skimmed)).toEqual(stateOf(whole));
          const told = whole.told.slice(whole.told.length - skimmed.told.length);
          expect(skimmed.told.map(shownOf)).toEqual(told.map(shownOf));
        },
      ),
    );
  });

  it('comes to the same where objects are so many that no index tells of them', async () => {
    const OBJECTS = 400;
    const versions: number[] = [];
    const events = Array.from({ length: 3 * OBJECTS }, (_, index): LoggedEvent => {
      const one = index < OBJECTS ? index : (index * 7_919) % OBJECTS;
      const previous = versions[one] ?? 0;
      const isGone = previous > 0 && index % 5 === 0;
      const type = previous === 0 ? 'added' : isGone ? 'deleted' : 'modified';
      versions[one] = isGone ? 0 : index + 1;
      const labels = { tier: String(index % 3) };
      const path = `n${String(one % 7)}/${String(one)}`;
      return loggedEvent(index + 1, { path, type, previous, labels });
    });
    const log = readerOf(events, 50);
    const [skimmed, whole] = [await folded(log, 0), await folded(log, events.length)];
    expect(stateOf(skimmed)).toEqual(stateOf(whole));
    expect(stateOf(whole).objects[0]?.length).toBeGreaterThan(OBJECTS / 2);
  });

  it('shows watchers nothing of it, and they know', async () => {
    const events = [1, 2, 3].map((version) =>
      loggedEvent(version, { path: `ns/${String(version)}` }),
    );
    const { window, told } = await folded(readerOf(events, 1), 0);
    expect(told.map(({ resourceVersion: version }) => version)).toEqual([3]);
    expect(window.reachesBackTo(resourceVersion(2))).toBe(true);
    expect(window.reachesBackTo(resourceVersion(1))).toBe(false);
    expect(window.after(resourceVersion(0))).toEqual(told);
  });

  it('leaves a store in which every history is whole', async () => {
    const events = [
      loggedEvent(1),
      loggedEvent(2, { previous: 1, data: 'two' }),
      loggedEvent(3, { previous: 2, type: 'deleted' }),
      loggedEvent(4, { path: 'ns/b' }),
    ];
    const { store } = await folded(readerOf(events, 1), 0);
    expect(store.appliedVersion).toBe(4);
    expect([...store.versionsOf(CONFIG_MAPS, 'ns/a')].map(({ type }) => type)).toEqual([
      'added',
      'modified',
      'deleted',
    ]);
  });
});

/** What a reader can see of an event, whenever its objects are read. */
function shownOf({ type, resource, path, resourceVersion: version, ...objects }: CommittedEvent) {
  const { object, previous } = objects;
  const bytesOf = (one: typeof previous) => [
    one?.resourceVersion,
    one?.json.toString(),
    one?.labels,
  ];
  return { type, resource, path, version, object: bytesOf(object), previous: bytesOf(previous) };
}

function stateOf({ store, objects, applied, verdicts }: Awaited<ReturnType<typeof folded>>) {
  const resources = [CONFIG_MAPS, 'core/secrets'];
  return {
    applied: applied.current,
    verdicts,
    writers: [...store.writers()],
    latest: store.latestTime,
    current: [...store.current()],
    changedAt: resources.map((resource) => objects.of(resource).changedAt),
    changes: resources.map((resource) => [...store.changesAfter(resource, resourceVersion(0))]),
    objects: resources.map((resource) =>
      [...objects.of(resource).inOrder('')].map((object) => [
        object.path,
        object.resourceVersion,
        object.labels,
        object.json.toString(),
      ]),
    ),
  };
}

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
