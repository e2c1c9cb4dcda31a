/**
 * A fork shows exactly what a control plane would show into which everything up to the base had
 * been copied, and into which the same was written since.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { EventType, ProposedEvent } from '../../streams/event.ts';
import type { EventLog } from '../../streams/event-log.ts';
import { LayeredEventLog } from '../../streams/layered-event-log.ts';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { AppliedVersion } from '../applied-version.ts';
import { givenEvent, ManualClock, selection } from '../given.fixture.ts';
import { pageAt } from '../list/list-page.ts';
import { MemoryObjectStore } from '../objects/memory-object-store.ts';
import type { FateReads, ObjectStore } from '../objects/object-history.ts';
import { LmdbObjectStore } from '../objects/object-store.ts';
import { ObjectView, ResourceObjects } from '../objects/object-view.ts';
import { Gallery } from '../projected-resource.ts';
import { Projector } from '../projector.ts';
import { verifyStore } from '../verification.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import { inheritedInSlices, inheritedObjects } from './inherited-objects.ts';
import { LayeredObjectStore } from './layered-object-store.ts';

const RESOURCES = ['core/configmaps', 'core/secrets'];
const PATHS = ['a/x', 'a/y', 'ab/x', 'b/x', '/c', 'b/é'];
const folder = mkdtempSync(join(tmpdir(), 'everwatch-forks-'));
let made = 0;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

type OwnStore = ObjectStore & FateReads;
type MakeStore = () => OwnStore;

const makers: [string, MakeStore, number][] = [
  ['in memory', () => new MemoryObjectStore(), 150],
  [
    'on disk',
    () => {
      made += 1;
      return new LmdbObjectStore(join(folder, String(made)), new ManualClock());
    },
    20,
  ],
];

interface PlaneParts {
  readonly log: EventLog;
  readonly store: ObjectStore;
  readonly objects: ObjectView;
}

class Plane {
  readonly log: EventLog;
  readonly store: ObjectStore;
  readonly objects: ObjectView;
  readonly applied = new AppliedVersion(new ManualClock());
  readonly gallery: Gallery;
  readonly #projector: Projector;
  readonly #parts: PlaneParts;

  constructor(parts: PlaneParts) {
    const { log, store, objects } = parts;
    const { applied } = this;
    this.#parts = parts;
    this.log = log;
    this.store = store;
    this.objects = objects;
    const clock = new ManualClock();
    this.gallery = new Gallery({ log, history: store, objects, applied, clock });
    this.#projector = new Projector({ log, store, objects, applied, views: [this.gallery] });
  }

  async start(): Promise<this> {
    await this.#projector.start((error) => {
      throw error;
    });
    return this;
  }

  /** A new one over the same log and the same store, which goes on. */
  async again(objects = new ObjectView()): Promise<Plane> {
    await this.store.settled();
    const { store } = this.#parts;
    // The projector closes its store; this one is still needed.
    Object.assign(store, { close: () => Promise.resolve() });
    await this.#projector.stop();
    return new Plane({ ...this.#parts, objects }).start();
  }

  async append(events: readonly ProposedEvent[]): Promise<void> {
    const first = await this.log.append(events);
    await new Promise<void>((resolve) => {
      const last = resourceVersion(first + events.length - 1);
      this.applied.whenApplied(last, 1_000, () => {
        resolve();
      });
    });
  }
}

interface Step {
  readonly resource: string;
  readonly path: string;
  readonly isDelete: boolean;
  /** It was decided on an object that somebody has changed since: takes no effect. */
  readonly isLate: boolean;
}

let sequence = 0;
let time = 0;

function proposed(plane: Plane, step: Step): ProposedEvent {
  const { resource, path, isDelete, isLate } = step;
  const current = plane.objects.versionOf(resource, path);
  const previous = isLate ? current + 1_000 : current;
  const type: EventType = current === 0 ? 'added' : isDelete ? 'deleted' : 'modified';
  sequence += 1;
  time += 7;
  const data = String(sequence);
  return { ...givenEvent({ type, resource, path, previous, sequence, data }), time };
}

/** Over the log and the stores that are given; what it stands on goes on. */
function forkOf(parent: Plane, base: ResourceVersion, ownLog: EventLog, own: OwnStore): PlaneParts {
  const inheritance = { parent, base, own, ownLog };
  const history = parent.store;
  return {
    log: new LayeredEventLog({ parent: parent.log, base, own: ownLog }),
    store: new LayeredObjectStore({ parent: { history, log: parent.log }, base, own, ownLog }),
    objects: new ObjectView((resource, at) => inheritedObjects(inheritance, resource, at)),
  };
}

async function copyOf(parent: Plane, base: ResourceVersion): Promise<Plane> {
  const copy = new Plane({
    log: new MemoryEventLog(),
    store: new MemoryObjectStore(),
    objects: new ObjectView(),
  });
  await copy.start();
  for (let version = 1; version <= base; version += 1) {
    const event = parent.log.at(resourceVersion(version));
    if (event === undefined) throw new Error('the parent has lost a record');
    await copy.append([event]);
  }
  return copy;
}

async function shownBy(plane: Plane, resource: string, newest: number) {
  const past = plane.gallery.of(resource);
  const { store } = plane;
  const pages: unknown[] = [];
  for (let version = 0; version <= newest; version += 1) {
    const at = resourceVersion(version);
    const shown = async (namespace: string, after: string, limit: number) => {
      const page = await pageAt(past, at, { selection: selection({ namespace }), after, limit });
      return { ...page, items: page.items.map(({ json }) => json.toString()) };
    };
    pages.push(
      await shown('', '', 0),
      await shown('a', '', 0),
      await shown('', 'a/y', 2),
      PATHS.map((path) => store.versionAt(resource, path, at)),
      [...store.changesAfter(resource, at)],
      await watched(plane, resource, at),
    );
  }
  return {
    pages,
    now: [...plane.objects.of(resource).inOrder('')].map(({ json }) => json.toString()),
    lives: PATHS.map((path) => [...store.versionsOf(resource, path)]),
    since: store.readableSince(resource),
    applied: plane.applied.current,
  };
}

/** What a watch from `version` is shown until it has caught up. */
function watched(plane: Plane, resource: string, version: ResourceVersion): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const { watch } = plane.gallery.of(resource);
    const watcher = {
      shape: {
        key: 'all',
        selection: selection(),
        render(events: readonly WatchEvent[]) {
          const lines = events.map((one) => `${one.type} ${one.object.json.toString()}\n`);
          return Buffer.from(lines.join(''));
        },
      },
      offer(chunk: Buffer) {
        seen += chunk.toString();
        return true;
      },
      progressed: () => undefined,
      fail: ({ error }: { readonly error: unknown }) => {
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    };
    watch.start(watcher, version);
    const look = (): void => {
      if (!watch.isLive(watcher)) {
        setImmediate(look);
        return;
      }
      watch.stop(watcher);
      resolve(seen);
    };
    look();
  });
}

const step = fc.record({
  resource: fc.constantFrom(...RESOURCES),
  path: fc.constantFrom(...PATHS),
  isDelete: fc.boolean(),
  isLate: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
});
const steps = fc.array(step, { maxLength: 20 });

const story = fc.record({
  before: fc.array(step, { minLength: 1, maxLength: 20 }),
  base: fc.nat(),
  /** Between the base and the moment when the fork is first looked at. */
  parentGoesOn: steps,
  isParentRestarted: fc.boolean(),
  inFork: steps,
  parentLater: steps,
  isForkRestarted: fc.boolean(),
  inForkLater: steps,
  /** Resources that are looked at as soon as the fork is there. */
  touched: fc.subarray(RESOURCES),
});

describe.each(makers)('a fork, its stores %s', (_name, makeStore, runs) => {
  it('shows what a copied control plane would show', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const begunAt = time;
        let parent = await new Plane({
          log: new MemoryEventLog(),
          store: makeStore(),
          objects: new ObjectView(),
        }).start();
        for (const one of told.before) await parent.append([proposed(parent, one)]);
        const base = resourceVersion(1 + (told.base % told.before.length));
        const copy = await copyOf(parent, base);
        // The object that makes the fork is a record too.
        const made = { resource: 'forks', path: '/f', isDelete: false, isLate: false };
        await parent.append([proposed(parent, made)]);
        for (const one of told.parentGoesOn) await parent.append([proposed(parent, one)]);
        if (told.isParentRestarted) parent = await parent.again();
        await parent.store.settled();

        const ownLog = new MemoryEventLog(base);
        const own = makeStore();
        let fork = await new Plane(forkOf(parent, base, ownLog, own)).start();
        const both = async (one: Step): Promise<void> => {
          const event = proposed(copy, one);
          await fork.append([event]);
          await copy.append([event]);
        };
        for (const resource of told.touched) fork.objects.of(resource);
        for (const one of told.inFork) await both(one);
        for (const one of told.parentLater) await parent.append([proposed(parent, one)]);
        if (told.isForkRestarted)
          fork = await fork.again(forkOf(parent, base, ownLog, own).objects);
        for (const one of told.inForkLater) await both(one);

        const newest = copy.applied.current;
        for (const resource of RESOURCES) {
          const shown = await shownBy(fork, resource, newest);
          expect(shown).toEqual(await shownBy(copy, resource, newest));
        }
        await fork.store.settled();
        for (let ms = begunAt; ms <= time + 1; ms += 3) {
          const then = copy.store.versionAtTime(ms, copy.log);
          expect(fork.store.versionAtTime(ms, fork.log)).toBe(then);
        }
        expect([...fork.store.current()].filter(({ resource }) => resource !== 'forks')).toEqual([
          ...copy.store.current(),
        ]);
      }),
      { numRuns: runs },
    );
  });
});

describe('a fork', () => {
  async function given() {
    const parent = await new Plane({
      log: new MemoryEventLog(),
      store: new MemoryObjectStore(),
      objects: new ObjectView(),
    }).start();
    const write = async (plane: Plane, path: string): Promise<void> => {
      const resource = 'core/configmaps';
      await plane.append([proposed(plane, { resource, path, isDelete: false, isLate: false })]);
    };
    for (let index = 0; index < 100; index += 1) await write(parent, `ns/${String(index)}`);
    const base = parent.applied.current;
    for (let index = 0; index < 10; index += 1) await write(parent, `ns/${String(index)}`);
    const ownLog = new MemoryEventLog(base);
    const open = () => new Plane(forkOf(parent, base, ownLog, new MemoryObjectStore())).start();
    return { parent, write, base, ownLog, open };
  }

  it('has the very objects of its parent where both are the same', async () => {
    const { parent, open } = await given();
    const fork = await open();
    const of = (plane: Plane, path: string) => plane.objects.get('core/configmaps', path);
    expect(of(fork, 'ns/50')).toBe(of(parent, 'ns/50'));
    expect(of(fork, 'ns/5')).not.toBe(of(parent, 'ns/5'));
  });

  it('has them as well when its parent was restarted and the past has to be read', async () => {
    const { parent, write, base, ownLog } = await given();
    for (let index = 0; index < 90; index += 1) await write(parent, `ns/${String(index)}`);
    const later = await parent.again();
    const parts = forkOf(later, base, ownLog, new MemoryObjectStore());
    const fork = await new Plane(parts).start();
    const of = (plane: Plane, path: string) => plane.objects.get('core/configmaps', path);
    expect(fork.objects.of('core/configmaps').size).toBe(100);
    expect(of(fork, 'ns/95')).toBe(of(later, 'ns/95'));
    expect(of(fork, 'ns/5')?.resourceVersion).toBe(6);
  });

  it('has the same when it is looked up in slices, while both are written to', async () => {
    const parent = await new Plane({
      log: new MemoryEventLog(),
      store: new MemoryObjectStore(),
      objects: new ObjectView(),
    }).start();
    const resource = 'core/configmaps';
    const paths = Array.from({ length: 1_500 }, (_, index) => `ns/${String(index)}`);
    const writeAll = (plane: Plane, some: readonly string[], isDelete = false): Promise<void> =>
      plane.append(
        some.map((path) => proposed(plane, { resource, path, isDelete, isLate: false })),
      );
    await writeAll(parent, paths);
    const base = parent.applied.current;
    const copy = await copyOf(parent, base);
    await writeAll(parent, paths.slice(0, 1_400));
    const later = await parent.again();
    const ownLog = new MemoryEventLog(base);
    const own = new MemoryObjectStore();
    const inheritance = { parent: later, base, own, ownLog };
    const first = await new Plane(forkOf(later, base, ownLog, own)).start();
    const one = { resource, isDelete: false, isLate: false };
    const inBoth = [
      ...paths.slice(5, 10).map((path) => proposed(copy, { ...one, path, isDelete: true })),
      ...['ns/x', 'ns/11'].map((path) => proposed(copy, { ...one, path })),
    ];
    for (const plane of [copy, first]) await plane.append(inBoth);
    const fork = await first.again(forkOf(later, base, ownLog, own).objects);

    const slices = inheritedInSlices(inheritance, resource, fork.objects.beganAt);
    await writeAll(later, paths.slice(1_400));
    await writeAll(later, paths.slice(100, 200), true);
    const found = await slices;
    if (found === undefined) throw new Error('there was enough to look up');
    fork.objects.adopt(resource, found);
    expect(fork.objects.of(resource)).toBe(found);
    const shown = (plane: Plane) =>
      [...plane.objects.of(resource).inOrder('')].map(({ json }) => json.toString());
    expect(shown(fork)).toEqual(shown(copy));
    expect(shown(fork)).toHaveLength(1_496);
    // Whoever has looked before keeps what he saw.
    fork.objects.adopt(resource, new ResourceObjects());
    expect(fork.objects.of(resource)).toBe(found);
  });

  it('copies nothing until somebody looks', async () => {
    const { open } = await given();
    const fork = await open();
    expect([...fork.objects.resources()]).toEqual([]);
    expect(fork.objects.versionOf('core/secrets', 'ns/a')).toBe(0);
    expect([...fork.objects.resources()].map(([resource]) => resource)).toEqual(['core/secrets']);
  });

  it('can be folded anew, and nobody finds a difference', async () => {
    const { open, write } = await given();
    const fork = await open();
    await write(fork, 'ns/5');
    await write(fork, 'ns/new');
    expect(await verifyStore(fork.log, fork.store)).toMatchObject({
      differences: [],
      objects: 101,
    });
  });

  it('is read from the beginning of its parent to its own end', async () => {
    const { open, write, base } = await given();
    const fork = await open();
    await write(fork, 'ns/new');
    const reading = new AbortController();
    const versions: number[] = [];
    for await (const batch of fork.log.read(resourceVersion(1), reading.signal)) {
      versions.push(...batch.map((event) => event.resourceVersion));
      if (versions.length > base) reading.abort();
    }
    expect(versions).toEqual(Array.from({ length: base + 1 }, (_, index) => index + 1));
    expect(await fork.log.newest(0)).toBe(base + 1);
    expect(await fork.log.oldest()).toBe(1);
  });
});
