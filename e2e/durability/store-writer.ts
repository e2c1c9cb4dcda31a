/** A process that records into an object store as fast as that takes it, or as a log that it never reads to its end, until it is killed. */
import { writeSync } from 'node:fs';
import { LmdbObjectStore } from '../../projections/store/object-store.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { BATCH, committedAt } from './store-load.ts';

const FILLED_EVENTS = 400_000;

const [path = '', how] = process.argv.slice(2);
const clock = {
  now: () => Date.now(),
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

// Every other process opens the file anew behind each write, which else takes some thousand of them.
const mappedBytesMax = process.pid % 2 === 0 ? 0 : Infinity;
const store = new LmdbObjectStore(path, clock, { mappedBytesMax });
if (how === 'filling') store.beginFilling(resourceVersion(Number.MAX_SAFE_INTEGER));
let applied: number = store.appliedVersion;
const began = applied;
writeSync(1, `ready ${String(applied)}\n`);
for (;;) {
  for (let batch = 0; batch < 40; batch += 1) {
    const events = Array.from({ length: BATCH }, (_, index) => committedAt(applied + index + 1));
    applied += BATCH;
    const writers = new Map([['w', applied]]);
    store.record(events, { applied: resourceVersion(applied), writers, time: applied });
  }
  if (how === 'filling') {
    // Three parts are enough, however late the signal comes.
    if (applied > began + FILLED_EVENTS)
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    await new Promise(setImmediate);
    continue;
  }
  await store.settled();
  writeSync(1, `settled ${String(applied)}\n`);
}
