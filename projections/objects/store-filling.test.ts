import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { newPaths } from '../new-paths.fixture.ts';
import { added, committed, EVERYTHING, record, StillClock } from './given-store.fixture.ts';
import { LmdbObjectStore } from './object-store.ts';
import { StoreFilling } from './store-filling.ts';

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

function givenFilling(path: string, clock = new StillClock()): LmdbObjectStore {
  const store = new LmdbObjectStore(path, clock);
  store.beginFilling(resourceVersion(EVENTS + 1));
  const events = longLog();
  for (let from = 0; from < EVENTS; from += 256) record(store, events.slice(from, from + 256));
  return store;
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

it('is found whole or empty, whenever the process ends', async () => {
  const path = newPath();
  const store = givenFilling(path);
  const settling = { isOver: false };
  const settled = store.settled().then(() => (settling.isOver = true));
  const found = new Set<string>();
  const sizes = new Set<number>();
  while (!settling.isOver) {
    await nextTurn();
    const crashed = newPath();
    copyOfOneMoment(path, crashed);
    const survivor = new LmdbObjectStore(crashed, new StillClock());
    const { appliedVersion } = survivor;
    sizes.add(statSync(join(crashed, FILE)).size);
    found.add(`${String(appliedVersion)} ${String([...survivor.current()].length > 0)}`);
    if (appliedVersion === 0) expect([...survivor.resourcesEver()]).toEqual([]);
    await survivor.close();
  }
  await settled;
  expect(sizes.size).toBeGreaterThan(2);
  for (const one of found) expect(['0 false', `${String(EVENTS)} true`]).toContain(one);
  await store.close();
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
    const [version, objects] = [again.appliedVersion, [...again.current()].length];
    expect([version, objects > 0]).toEqual(isLong ? [0, false] : [EVENTS + 1, true]);
    await again.close();
  }
});

it('does not hold up the end of a process that was still reading the log, and is begun anew', async () => {
  const path = newPath();
  const store = givenFilling(path);
  await store.close();
  const again = new LmdbObjectStore(path, new StillClock());
  expect([again.appliedVersion, [...again.current()]]).toEqual([0, []]);
  await again.close();
  const clock = new StillClock();
  const half = givenFilling(path, clock);
  const settled = half.settled();
  await nextTurn();
  const closed = half.close();
  clock.ring();
  await Promise.allSettled([closed, settled]);
  const after = new LmdbObjectStore(path, new StillClock());
  expect([after.appliedVersion, [...after.current()]]).toEqual([0, []]);
  await after.close();
});

it('takes no more than it has room for', () => {
  const filling = new StoreFilling(3);
  filling.add([added('a/1', 1), added('a/2', 2)]);
  expect(filling.isFull).toBe(false);
  filling.add([added('a/3', 3)]);
  expect(filling.isFull).toBe(true);
});
