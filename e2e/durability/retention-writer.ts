/** A process that appends, folds and cuts without a pause, until it is killed. */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { LmdbObjectStore } from '../../projections/store/object-store.ts';
import { ObjectView } from '../../projections/objects/object-view.ts';
import { cutOnce } from '../../projections/retention/retention.ts';
import { viewsOver } from '../../projections/views.ts';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { nextEvent, RESOURCES, stateAt } from './retention-load.ts';

const [path = ''] = process.argv.slice(2);
const clock = {
  now: () => Date.now(),
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};

const log = new EmbeddedEventLog(`${path}/log`);
const store = new LmdbObjectStore(`${path}/store`, clock);
const { applied, projector } = viewsOver({ log, store, objects: new ObjectView() }, clock);
await projector.start((error) => {
  throw error;
});
writeSync(1, 'ready\n');
const writer = randomUUID();
const state = stateAt(applied.current);
const settings = {
  everything: { kind: 'events' as const, count: 700 },
  resources: new Map([[RESOURCES[0] ?? '', { kind: 'events' as const, count: 150 }]]),
};

/** So a cut has many steps, and most kills leave one half done. */
const stepRecords = 100;

async function append(): Promise<void> {
  for (;;) {
    const first = (await log.newest()) + 1;
    const events = Array.from({ length: 25 }, (_, index) =>
      nextEvent(state, first + index, writer),
    );
    await log.append(events);
  }
}

async function cut(): Promise<void> {
  const failed = (error: unknown): void => {
    throw error;
  };
  for (;;) {
    await cutOnce({ log, store, clock, settings, stepRecords, keepFrom: () => undefined, failed });
    writeSync(1, `cut ${String(log.cuts().everything.version)}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

await Promise.all([append(), cut()]);
