/** A cut that breaks off, wherever that is: nothing that can be read is another, and the next pass finishes it. */
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { LogUnavailableError } from '../../streams/event-log.ts';
import { proposedEvent } from '../../streams/proposed-event.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { newPaths } from '../new-paths.fixture.ts';
import { MemoryObjectStore } from '../store/memory-object-store.ts';
import { LmdbObjectStore } from '../store/object-store.ts';
import { verifyStore } from '../verification.ts';
import { LEASES, Plane, PODS } from './given-retention.fixture.ts';
import { cutOnce } from './retention.ts';

const newPath = newPaths('everwatch-half-cut-');
const EVENTS = 60;
const KEPT = 10;
const CUT = EVENTS - KEPT;
const PATHS = ['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e', 'ns/f', 'ns/g'];

/** Objects that are made, changed, deleted and made again, and one that is never touched again. */
async function fill(plane: Plane): Promise<void> {
  await plane.append(proposedEvent(1, { resource: PODS, path: 'ns/old', type: 'added' }));
  for (let sequence = 2; sequence <= EVENTS; sequence += 1) {
    const resource = sequence % 3 === 0 ? LEASES : PODS;
    const path = PATHS[(sequence * 5) % PATHS.length] ?? '';
    const previousResourceVersion = plane.versionOf(resource, path);
    const changed = sequence % 11 === 0 ? 'deleted' : 'modified';
    const type = previousResourceVersion === 0 ? 'added' : changed;
    const json = Buffer.from(`{"n":${String(sequence)}}`);
    await plane.append(
      proposedEvent(sequence, { resource, path, type, previousResourceVersion, json }),
    );
  }
}

function shown(plane: Plane): unknown {
  const versions = Array.from({ length: EVENTS - CUT + 1 }, (_, nth) => CUT + nth);
  return [PODS, LEASES].map((resource) => [
    versions.map((version) => plane.stateAt(resource, version)),
    plane.changesAfter(resource, CUT),
  ]);
}

function versionsIn(log: EmbeddedEventLog): number[] {
  const versions = Array.from({ length: CUT }, (_, nth) => resourceVersion(nth + 1));
  return versions.filter((version) => log.at(version) !== undefined);
}

interface Broken {
  /** The part of the machine that fails. */
  readonly at: 'log' | 'store';
  /** Whether what failed was done nevertheless, as where the process is killed right behind it. */
  readonly isDone: boolean;
}

/** Cuts, and breaks off at the call of this number. @returns whether it came to that. */
async function cutUntil(
  log: EmbeddedEventLog,
  plane: Plane,
  { at, isDone, nth }: Broken & { nth: number },
) {
  const { store } = plane;
  let calls = 0;
  const breaking = async (work: () => Promise<void>): Promise<void> => {
    calls += 1;
    if (calls !== nth) return work();
    if (isDone) await work();
    throw new LogUnavailableError('the process was killed');
  };
  const [trim, forget] = [log.trim.bind(log), store.forget.bind(store)];
  if (at === 'log') log.trim = (step) => breaking(() => trim(step));
  else store.forget = (...gone) => breaking(() => forget(...gone));
  try {
    await cutAll(log, plane, 1);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(LogUnavailableError);
    return true;
  } finally {
    log.trim = trim;
    store.forget = forget;
  }
}

function cutAll(log: EmbeddedEventLog, { store }: Plane, stepRecords = 1_000): Promise<void> {
  return cutOnce({
    ...{ log, store, stepRecords, clock: new ManualClock(), keepFrom: () => undefined },
    settings: { everything: { kind: 'events', count: KEPT }, resources: new Map() },
    failed: () => undefined,
  });
}

describe('a cut that breaks off', () => {
  it.each<[string, Broken]>([
    ['before a step of the log', { at: 'log', isDone: false }],
    ['behind a step of the log', { at: 'log', isDone: true }],
    ['before what the store forgets', { at: 'store', isDone: false }],
    ['behind what the store forgets', { at: 'store', isDone: true }],
  ])(
    '%s shows what it would show, and is finished by the next',
    async (_name, broken) => {
      let halves = 0;
      for (let nth = 1; ; nth += 1) {
        const [path, storePath] = [newPath(), newPath()];
        let log = new EmbeddedEventLog(path);
        let plane = await Plane.open(log, new LmdbObjectStore(storePath, new ManualClock()));
        await fill(plane);
        await plane.store.settled();
        const before = shown(plane);
        const isBroken = await cutUntil(log, plane, { ...broken, nth });

        await plane.stop();
        await log.close();
        log = new EmbeddedEventLog(path);
        if (log.cuts().underWay !== undefined) halves += 1;
        plane = await Plane.open(log, new LmdbObjectStore(storePath, new ManualClock()));
        expect(shown(plane)).toEqual(before);
        expect((await verifyStore(log, plane.store)).differences).toEqual([]);
        const anew = await Plane.open(log, new MemoryObjectStore());
        expect(shown(anew)).toEqual(before);
        expect([...anew.store.current()]).toEqual([...plane.store.current()]);
        await anew.stop();

        await cutAll(log, plane);
        expect(log.cuts()).toMatchObject({ everything: { version: CUT } });
        expect(log.cuts().underWay).toBeUndefined();
        expect(shown(plane)).toEqual(before);
        const standing = [PODS, LEASES].flatMap((resource) => [
          ...plane.store.pathsAt(resource, { prefix: '', from: '' }, resourceVersion(CUT)),
        ]);
        const versions = standing.map((one) => one.resourceVersion).sort((a, b) => a - b);
        expect(versionsIn(log)).toEqual(versions);
        const known = [PODS, LEASES].flatMap((resource) => [
          ...plane.store.changesAfter(resource, resourceVersion(0)),
        ]);
        expect(known.filter((one) => one <= CUT).sort((a, b) => a - b)).toEqual(versions);
        expect((await verifyStore(log, plane.store)).differences).toEqual([]);
        await plane.stop();
        await log.close();
        if (!isBroken) break;
      }
      // Of the log each of its steps but the first and the last leaves a half.
      expect(halves).toBeGreaterThan(broken.at === 'log' ? 30 : 0);
    },
    240_000,
  );
});
