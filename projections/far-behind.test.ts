/** A start far behind the end of the log skims what lies between, and comes to what the whole fold comes to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../api/meta/manual-clock.fixture.ts';
import { encodeRecord } from '../streams/event-codec.ts';
import type { EventReader } from '../streams/event-log.ts';
import type { CommittedEvent, LoggedEvent } from '../streams/event.ts';
import { NO_CUTS } from '../streams/log-cuts.ts';
import { HeadReader } from '../streams/record-heads.ts';
import { resourceVersion } from '../streams/resource-version.ts';
import type { Verdict } from './fold/arbiter.ts';
import type { Projection } from './fold/projection.ts';
import { CONFIG_MAPS, loggedEvent } from './given.fixture.ts';
import { MemoryObjectStore } from './store/memory-object-store.ts';
import { ObjectView } from './objects/object-view.ts';
import { viewsOver } from './views.ts';

function fail(error: unknown): never {
  throw error;
}

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

/** The same, which tells the heads of its records too, up to one that it does not have. */
function withHeads(log: EventReader, events: readonly LoggedEvent[], missing: number): EventReader {
  const frames = events.map((event) => encodeRecord(event));
  return {
    ...log,
    heads(from, guess) {
      const reader = new HeadReader(guess);
      let next = from;
      return {
        next: () => {
          const frame = next === missing ? undefined : frames[next - 1];
          const head = frame && reader.read(frame, next);
          next = resourceVersion(next + 1);
          return head;
        },
      };
    },
  };
}

/** The same, of which so many more records are here whenever one of them is waited for. */
function whileFetched(log: EventReader, more: number): EventReader {
  let here = 0;
  return {
    ...log,
    heads(from, guess) {
      const heads = log.heads?.(from, guess);
      let next: number = from;
      return {
        next: () => {
          const head = next > here ? undefined : heads?.next();
          next += 1;
          return head;
        },
      };
    },
    async whenHere(version) {
      await Promise.resolve();
      while (here < version) here += more;
    },
  };
}

async function folded(log: EventReader, farBehind: number) {
  // It keeps all in memory, as a store does that is filled by a long log.
  const store = Object.assign(new MemoryObjectStore(), { isFilling: true });
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
    /** Of most it rises. */
    late: fc.oneof(fc.constant(0), fc.nat(4)),
  });

  it('comes to the same as folding every event does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 90 }),
        async (records, batch, missing) => {
          const events = records.map(({ type, back, late, ...given }, index): LoggedEvent => {
            const previous = type === 'added' ? 0 : Math.max(0, index - back);
            const changed = type === 'marker' ? 'modified' : type;
            const sequence = Math.max(1, index + 1 - late);
            const event = loggedEvent(index + 1, { ...given, sequence, type: changed, previous });
            return { ...event, type, time: (index * 7) % 11 };
          });
          const log = readerOf(events, batch);
          const [skimmed, whole] = [await folded(log, 0), await folded(log, events.length)];
          expect(stateOf(skimmed)).toEqual(stateOf(whole));
          const byHeads = await folded(withHeads(log, events, missing), 0);
          expect(stateOf(byHeads)).toEqual(stateOf(whole));
          const fetched = whileFetched(withHeads(log, events, missing), batch);
          expect(stateOf(await folded(fetched, 0))).toEqual(stateOf(whole));
          const told = whole.told.slice(whole.told.length - skimmed.told.length);
          expect(skimmed.told.map(shownOf)).toEqual(told.map(shownOf));
        },
      ),
      { numRuns: 300 },
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
    const byHeads = await folded(withHeads(log, events, 0), 0);
    expect(stateOf(byHeads)).toEqual(stateOf(whole));
    expect(stateOf(whole).objects[0]?.length).toBeGreaterThan(OBJECTS / 2);
  });

  it('believes no version that an object had before, or that was deleted', async () => {
    const events = [
      loggedEvent(1),
      loggedEvent(2, { previous: 1 }),
      loggedEvent(3, { previous: 1 }),
      loggedEvent(4, { previous: 2, type: 'deleted' }),
      loggedEvent(5, { previous: 2 }),
      loggedEvent(6, { previous: 4 }),
      loggedEvent(7),
      loggedEvent(8, { previous: 7, path: 'ns/b' }),
      loggedEvent(9, { previous: 7, resource: 'core/secrets' }),
      loggedEvent(10, { path: 'ns/last' }),
    ];
    const said = ['effective', 'effective', 'overtaken', 'effective', 'overtaken', 'overtaken'];
    const log = withHeads(readerOf(events, 1), events, 0);
    const { verdicts } = await folded(log, 0);
    expect(verdicts).toEqual([...said, 'effective', 'overtaken', 'overtaken', 'effective']);
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
