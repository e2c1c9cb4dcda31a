/**
 * Cuts under kill -9: whatever the moment, what is left of the log is a state that can be folded,
 * the store agrees with it, and every version behind the cut shows what it always showed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { MemoryObjectStore } from '../../projections/store/memory-object-store.ts';
import type { ObjectStore } from '../../projections/store/object-history.ts';
import { LmdbObjectStore } from '../../projections/store/object-store.ts';
import { ObjectView } from '../../projections/objects/object-view.ts';
import { verifyStore } from '../../projections/verification.ts';
import { finishCut } from '../../projections/retention/retention.ts';
import { viewsOver } from '../../projections/views.ts';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { chanceFrom } from '../../tools/seeded-chance.fixture.ts';
import { bundledProgram } from '../support/bundled-program.ts';
import { nextEvent, RESOURCES, stateAt, type State } from './retention-load.ts';

const KILLS = 10;
const WRITER = bundledProgram(new URL('retention-writer.ts', import.meta.url).pathname);
const NO_CLOCK = { now: () => 0, after: () => () => undefined };

const folder = mkdtempSync(join(tmpdir(), 'everwatch-retention-crash-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a writer and kills it so long after its first cut. @returns the last cut it told of. */
async function runAndKill(delayMs: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let cut = 0;
  let isDue = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'ready') continue;
    cut = Number(line.split(' ')[1]);
    if (!isDue) setTimeout(() => child.kill('SIGKILL'), delayMs);
    isDue = true;
  }
  return cut;
}

async function folded(log: EmbeddedEventLog, store: ObjectStore): Promise<void> {
  const { projector } = viewsOver({ log, store, objects: new ObjectView() }, NO_CLOCK);
  await projector.start((error) => {
    throw error;
  });
  await store.settled();
  // Without closing the store.
  const { close } = store;
  store.close = () => Promise.resolve();
  await projector.stop();
  store.close = close;
}

function shown(log: EmbeddedEventLog, store: ObjectStore, resource: string, version: number) {
  const everything = { prefix: '', from: '' };
  return [...store.pathsAt(resource, everything, resourceVersion(version))].map((found) => {
    const json = log.at(found.resourceVersion)?.json;
    return [`${resource} ${found.path}`, Buffer.from(json ?? []).toString()];
  });
}

function wanted(state: State, resource: string) {
  return [...state]
    .filter(([key]) => key.startsWith(`${resource} `))
    .map(([key, version]) => [key, `{"version":${String(version)}}`])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

/** Looks at the oldest version that can be read, and at some behind it. */
function expectReadable(log: EmbeddedEventLog, store: ObjectStore): void {
  for (const resource of RESOURCES) {
    const since = store.readableSince(resource);
    const state = stateAt(since);
    const changes: number[] = [];
    for (let version = since + 1; version <= store.appliedVersion + 1; version += 1) {
      if (version % 97 === 0 || version === since + 1) {
        expect(shown(log, store, resource, version - 1)).toEqual(wanted(state, resource));
      }
      if (nextEvent(state, version, '').resource === resource) changes.push(version);
    }
    expect([...store.changesAfter(resource, since)]).toEqual(
      changes.filter((version) => version <= store.appliedVersion),
    );
  }
}

it('leaves what can be folded, and shows what it always showed', async () => {
  const seed = Number(process.env['EVERWATCH_SEED'] ?? Date.now() % 1_000_000);
  console.log(`EVERWATCH_SEED=${String(seed)}`);
  const random = chanceFrom(seed);
  let cutBefore = 0;
  let halves = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const cut = await runAndKill(Math.floor(random() * 400));
    const log = new EmbeddedEventLog(join(folder, 'log'));
    expect(log.cuts().everything.version).toBeGreaterThanOrEqual(Math.max(cut, cutBefore));
    cutBefore = log.cuts().everything.version;

    const store = new LmdbObjectStore(join(folder, 'store'), NO_CLOCK);
    expect(store.appliedVersion).toBeGreaterThanOrEqual(log.cuts().settled);
    expect((await verifyStore(log, store)).differences).toEqual([]);
    await folded(log, store);
    expectReadable(log, store);
    if (log.cuts().underWay !== undefined) {
      halves += 1;
      const anew = new MemoryObjectStore();
      await folded(log, anew);
      expectReadable(log, anew);
      expect([...anew.current()]).toEqual([...store.current()]);
      await finishCut({ log, store, clock: NO_CLOCK });
      expect(log.cuts().underWay).toBeUndefined();
      expectReadable(log, store);
    }
    await store.tidy(log.cuts());
    expect((await verifyStore(log, store)).differences).toEqual([]);

    const anew = new MemoryObjectStore();
    await folded(log, anew);
    expectReadable(log, anew);
    expect([...anew.current()]).toEqual([...store.current()]);
    expect(new Map(anew.writers())).toEqual(new Map(store.writers()));
    for (const resource of RESOURCES) {
      expect(anew.readableSince(resource)).toBe(store.readableSince(resource));
      expect([...anew.changesAfter(resource, resourceVersion(0))]).toEqual([
        ...store.changesAfter(resource, resourceVersion(0)),
      ]);
    }
    await store.close();
    await log.close();
  }
  expect(cutBefore).toBeGreaterThan(0);
  expect(halves).toBeGreaterThan(0);
});
