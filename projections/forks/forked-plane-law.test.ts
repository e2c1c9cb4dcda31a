/**
 * A fork shows exactly what a control plane would show into which everything up to the base had
 * been copied, and into which the same was written since.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryEventLog } from '../../streams/memory/memory-event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { selection } from '../given.fixture.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { pageAt } from '../list/list-page.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import { LmdbObjectStore } from '../store/object-store.ts';
import { ObjectsAt } from '../past/objects-at.ts';
import { newPaths } from '../new-paths.fixture.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import { forkLayers } from './fork-layers.ts';
import {
  copyOf,
  emptyPlane,
  type OwnStore,
  startPlane,
  type Plane,
  proposed,
  type Step,
  timeOfLast,
} from './given-forks.fixture.ts';

const RESOURCES = ['core/configmaps', 'core/secrets'];
const PATHS = ['a/x', 'a/y', 'ab/x', 'b/x', '/c', 'b/é'];
const newPath = newPaths('everwatch-forks-');

type MakeStore = () => OwnStore;

const makers: [string, MakeStore, number][] = [
  ['in memory', () => new MemoryObjectStore(), 150],
  ['on disk', () => new LmdbObjectStore(newPath(), new ManualClock()), 20],
];

async function shownBy(plane: Plane, resource: string, newest: number) {
  const past = plane.resourceViews.of(resource);
  const { store } = plane;
  const pages: unknown[] = [];
  for (let version = 0; version <= newest; version += 1) {
    const at = resourceVersion(version);
    const shown = async (namespace: string, after: string, limit: number) => {
      const page = await pageAt(past, at, { selection: selection({ namespace }), after, limit });
      const { items, lastPath, remaining } = page;
      return { items: Array.from(items, ({ json }) => json.toString()), lastPath, remaining };
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

/** What is read of the past alone, of a resource that nothing has looked at. */
async function readAlone({ resourceViews, store }: Plane, resource: string, newest: number) {
  await store.settled();
  const past = resourceViews.pastOf(resource);
  const read: unknown[] = [];
  for (let version = 0; version <= newest; version += 1) {
    const at = resourceVersion(version);
    const objects = new ObjectsAt((one) => resourceViews.pastOf(one), at);
    const query = { selection: selection({ namespace: 'a' }), after: '', limit: 2 };
    const { items, lastPath } = await pageAt(past, at, query);
    const one = PATHS.map((path) => objects.get(resource, path)?.json.toString());
    read.push(
      Array.from(items, ({ json }) => json.toString()),
      lastPath,
      one,
    );
  }
  return read;
}

/** What a watch from `version` is shown until it has caught up. */
function watched(plane: Plane, resource: string, version: ResourceVersion): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const { watch } = plane.resourceViews.of(resource);
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
      caughtUp: () => undefined,
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
        const begunAt = timeOfLast();
        let parent = await emptyPlane(makeStore());
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
        let fork = await startPlane(forkLayers({ parent, base, ownLog, own }));
        const both = async (one: Step): Promise<void> => {
          const event = proposed(copy, one);
          await fork.append([event]);
          await copy.append([event]);
        };
        for (const resource of told.touched) fork.objects.of(resource);
        for (const one of told.inFork) await both(one);
        for (const one of told.parentLater) await parent.append([proposed(parent, one)]);
        if (told.isForkRestarted)
          fork = await fork.again(forkLayers({ parent, base, ownLog, own }).objects);
        for (const one of told.inForkLater) await both(one);

        const newest = copy.applied.current;
        for (const resource of RESOURCES) {
          const isPutTogether = fork.objects.has(resource);
          const read = await readAlone(fork, resource, newest);
          expect(fork.objects.has(resource)).toBe(isPutTogether);
          expect(read).toEqual(await readAlone(copy, resource, newest));
          const shown = await shownBy(fork, resource, newest);
          expect(shown).toEqual(await shownBy(copy, resource, newest));
        }
        await fork.store.settled();
        for (let ms = begunAt; ms <= timeOfLast() + 1; ms += 3) {
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
