import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { newPaths } from '../new-paths.fixture.ts';
import { added, committed, EVERYTHING, record, StillClock } from './given-store.fixture.ts';
import type { RecordedEvent } from './object-history.ts';
import { LmdbObjectStore } from './object-store.ts';
import { StoreFilling } from './store-filling.ts';
import { openStore } from './store-tables.ts';

const newPath = newPaths('everwatch-filling-');
const PODS = 'core/pods';
const EVENTS = 20_000;
const FILE = join('objects-2', 'data.mdb');

/** One object that is changed again and again and then deleted, and others that lie anywhere, of which some are. */
function longLog(): CommittedEvent[] {
  return Array.from({ length: EVENTS }, (_, nth) => {
    const version = nth + 1;
    if (nth % 2 === 1) {
      const type = nth === 1 ? 'added' : version === EVENTS ? 'deleted' : 'modified';
      return added('n1/much', version, type);
    }
    const one = ((nth / 2) * 7_919) % 3_334;
    const type = nth >= 13_336 && one % 5 === 0 ? 'deleted' : nth < 6_668 ? 'added' : 'modified';
    const resource = one % 3 === 0 ? PODS : 'core/secrets';
    return committed({ resource, path: `n${String(one % 9)}/${String(one)}`, version, type });
  });
}

const BATCH = 256;

function givenFilling(path: string, clock = new StillClock()): LmdbObjectStore {
  const store = new LmdbObjectStore(path, clock);
  recordRest(store);
  return store;
}

/** What the store does not have yet, as far as it is asked for. */
function recordRest(store: LmdbObjectStore, end = EVENTS): void {
  store.beginFilling(resourceVersion(EVENTS + 1));
  const events = longLog();
  for (let from: number = store.appliedVersion; from < end; from += BATCH)
    record(store, events.slice(from, Math.min(end, from + BATCH)));
}

/** Of a store that was written as it came, and has no more than so many events. */
async function usualAnswers(end: number): Promise<unknown> {
  const usual = new LmdbObjectStore(newPath(), new StillClock());
  record(usual, longLog().slice(0, end));
  await usual.settled();
  const told = answers(usual);
  await usual.close();
  return told;
}

/** As a crash leaves it: a copy that is made while a page is written would have what no moment had. */
function copyOfOneMoment(from: string, to: string): void {
  const file = join(from, FILE);
  let bytes = readFileSync(file);
  for (let again = readFileSync(file); !again.equals(bytes); again = readFileSync(file))
    bytes = again;
  mkdirSync(dirname(join(to, FILE)), { recursive: true });
  writeFileSync(join(to, FILE), bytes);
}

function answers(store: LmdbObjectStore): unknown {
  const moments = [1, 7_000, 15_000, EVENTS].map((one) => resourceVersion(one));
  return [PODS, 'core/secrets'].map((resource) => [
    ...moments.map((version) => [...store.pathsAt(resource, EVERYTHING, version)]),
    [...store.changesAfter(resource, resourceVersion(0))],
    [...store.current()],
    [...store.writers()],
    [store.appliedVersion, store.latestTime],
  ]);
}

it('says the same as a store that was written as it came', async () => {
  const path = newPath();
  const [filled, usual] = [givenFilling(path), new LmdbObjectStore(newPath(), new StillClock())];
  expect([filled.isFilling, usual.isFilling]).toEqual([true, false]);
  record(usual, longLog());
  await Promise.all([filled.settled(), usual.settled()]);
  expect(filled.isFilling).toBe(false);
  expect(answers(filled)).toEqual(answers(usual));
  const more = [added('n1/new', EVENTS + 5), added('n1/1', EVENTS + 6, 'deleted')];
  for (const store of [filled, usual]) record(store, more);
  await Promise.all([filled.settled(), usual.settled()]);
  expect(answers(filled)).toEqual(answers(usual));
  await filled.close();
  const again = new LmdbObjectStore(path, new StillClock());
  expect(answers(again)).toEqual(answers(usual));
  await Promise.all([again.close(), usual.close()]);
});

it.each([1, 2, 7])(
  'knows objects that are made again, by what they replace or by their paths: %i',
  async (told) => {
    const live = new Map<string, number>();
    const events = Array.from({ length: 6_000 }, (_, nth): RecordedEvent => {
      const path = `n${String(nth % 5)}/${String((nth * 7_919) % 401)}`;
      const previous = live.get(path) ?? 0;
      const type = previous === 0 ? 'added' : nth % 3 === 0 ? 'deleted' : 'modified';
      if (type === 'deleted') live.delete(path);
      else live.set(path, nth + 1);
      const event = added(path, nth + 1, type);
      return nth % told === 0
        ? { ...event, previousResourceVersion: resourceVersion(previous) }
        : event;
    });
    const stores = [];
    for (const end of [undefined, resourceVersion(EVENTS)]) {
      const store = new LmdbObjectStore(newPath(), new StillClock());
      if (end !== undefined) store.beginFilling(end);
      store.record(events, { applied: resourceVersion(6_000), writers: new Map(), time: 1 });
      if (end !== undefined) {
        const current = [...store.current()].map(
          ({ path, resourceVersion: at }) => [path, Number(at)] as const,
        );
        expect(new Map(current)).toEqual(live);
      }
      await store.settled();
      stores.push(answers(store));
      await store.close();
    }
    expect(stores[1]).toEqual(stores[0]);
  },
);

it('is found with all that was recorded, whenever the process ends that writes it', async () => {
  const usual = await usualAnswers(EVENTS);
  const path = newPath();
  const store = givenFilling(path);
  const settling = { isOver: false };
  const settled = store.settled().then(() => (settling.isOver = true));
  const found = new Set<number>();
  let looked = 0;
  while (!settling.isOver) {
    await nextTurn();
    const crashed = newPath();
    copyOfOneMoment(path, crashed);
    const survivor = new LmdbObjectStore(crashed, new StillClock());
    const { appliedVersion } = survivor;
    found.add(appliedVersion);
    looked += 1;
    if (appliedVersion === 0) {
      expect([...survivor.resourcesEver(), ...survivor.current()]).toEqual([]);
    } else if (looked % 8 === 0) {
      await survivor.settled();
      expect(answers(survivor)).toEqual(usual);
    }
    await survivor.close();
  }
  await settled;
  expect(looked).toBeGreaterThan(2);
  expect([...found]).toContain(EVENTS);
  for (const one of found) expect([0, EVENTS]).toContain(one);
  await store.close();
});

it('goes on where the process before has ended, as often as one ends', async () => {
  const path = newPath();
  for (const end of [2_560, 2_560, 9_000, 14_848]) {
    const store = new LmdbObjectStore(path, new StillClock());
    recordRest(store, end);
    expect(store.isFilling).toBe(true);
    await store.close();
    const copy = newPath();
    copyOfOneMoment(path, copy);
    const again = new LmdbObjectStore(copy, new StillClock());
    expect(again.appliedVersion).toBe(end);
    const current = [...again.current()];
    expect([...again.writers()]).toEqual([['w', end]]);
    await again.settled();
    expect(answers(again)).toEqual(await usualAnswers(end));
    expect([...again.current()]).toEqual(current);
    await again.close();
  }
});

it('is written by what it is opened with again, whether more comes or not', async () => {
  for (const rest of [0, 1, EVENTS]) {
    const path = newPath();
    const half = new LmdbObjectStore(path, new StillClock());
    recordRest(half, 5_120);
    await half.close();
    const again = new LmdbObjectStore(path, new StillClock());
    const end = Math.min(EVENTS, 5_120 + rest);
    // Not far behind, so it is not told of a long log.
    if (rest === 1) record(again, longLog().slice(5_120, 5_121));
    else if (rest > 1) recordRest(again);
    await again.settled();
    expect(again.isFilling).toBe(false);
    expect(answers(again)).toEqual(await usualAnswers(end));
    await again.close();
    const last = new LmdbObjectStore(path, new StillClock());
    expect(answers(last)).toEqual(await usualAnswers(end));
    await last.close();
  }
});

it('is begun anew where its parts cannot be read, or were left by a store that is whole', async () => {
  for (const isMarked of [true, false]) {
    const path = newPath();
    const half = new LmdbObjectStore(path, new StillClock());
    recordRest(half, 5_120);
    await half.close();
    const file = openStore(path, new StillClock());
    const { database, tables } = file.opened;
    if (isMarked) await tables.parts.put(0, Buffer.from('no part'));
    else await database.remove('filling');
    await file.close();
    const again = new LmdbObjectStore(path, new StillClock());
    expect([again.appliedVersion, ...again.current(), ...again.writers()]).toEqual([0]);
    recordRest(again);
    await again.settled();
    expect(answers(again)).toEqual(await usualAnswers(EVENTS));
    await again.close();
  }
});

it('is written by a process that ends behind the log, where that does not take long', async () => {
  for (const isLong of [false, true]) {
    const path = newPath();
    const clock = new StillClock();
    const store = givenFilling(path, clock);
    record(store, [added('n1/new', EVENTS + 1)]);
    const closed = store.close();
    if (isLong) clock.ring();
    await closed;
    const again = new LmdbObjectStore(path, new StillClock());
    expect([again.appliedVersion, again.isFilling]).toEqual(
      isLong ? [EVENTS, true] : [EVENTS + 1, false],
    );
    await again.close();
  }
});

it('takes no more than it has room for', () => {
  const filling = new StoreFilling(3);
  filling.add([added('a/1', 1), added('a/2', 2)]);
  expect(filling.isFull).toBe(false);
  filling.add([added('a/3', 3)]);
  expect(filling.isFull).toBe(true);
});
