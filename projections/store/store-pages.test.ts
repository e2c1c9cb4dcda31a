import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { newPaths } from '../new-paths.fixture.ts';
import { added, record, StillClock } from './given-store.fixture.ts';
import { LmdbObjectStore } from './object-store.ts';

const newPath = newPaths('everwatch-pages-');
const MIB = 1024 * 1024;
const OBJECTS = 60_000;

/** How much of a file below `path` this process has mapped and in memory. */
function mappedBytes(path: string): number {
  let kib = 0;
  let isOfFile = false;
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    if (/^[0-9a-f]+-/.test(line)) isOfFile = line.includes(path);
    else if (isOfFile) kib += Number(/^Rss:\s+(\d+)/.exec(line)?.[1] ?? 0);
  }
  return kib * 1024;
}

/** What is mapped behind questions for the past of objects all over the store. */
async function mappedBehindReads(mappedBytesMax: number): Promise<number> {
  const path = newPath();
  const clock = new StillClock();
  const store = new LmdbObjectStore(path, clock, { mappedBytesMax });
  const pathOf = (nth: number): string => `n${String(nth % 97)}/${String(nth)}-${'x'.repeat(60)}`;
  store.beginFilling(resourceVersion(OBJECTS + 1));
  const events = Array.from({ length: OBJECTS }, (_, nth) => added(pathOf(nth), nth + 1));
  record(store, events);
  await store.settled();
  for (let nth = 0; nth < OBJECTS; nth += 41) {
    expect(store.versionAt('core/pods', pathOf(nth), resourceVersion(nth))).toBe(undefined);
    if (nth % 164 === 0) await nextTurn();
  }
  // What was looked at in a short while is let go of behind it.
  clock.ring();
  await nextTurn();
  await nextTurn();
  const mapped = mappedBytes(path);
  await store.close();
  return mapped;
}

it.runIf(process.platform === 'linux')(
  'the store keeps no more of its file in memory than it may, whatever is asked of the past',
  async () => {
    expect(await mappedBehindReads(MIB)).toBeLessThan(4 * MIB);
    expect(await mappedBehindReads(Infinity)).toBeGreaterThan(7 * MIB);
  },
);
