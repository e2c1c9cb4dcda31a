/**
 * The object store under kill -9: it may have lost its last moments, and is otherwise what the
 * fold of the log up to its applied version gives.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { LmdbObjectStore } from '../../projections/store/object-store.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { chanceFrom } from '../../tools/seeded-chance.fixture.ts';
import { bundledProgram } from '../support/bundled-program.ts';
import { BATCH, currentAt, RESOURCES } from './store-load.ts';

const KILLS = 10;
const FILLING_KILLS = 3;
/** More than is kept of a fold at a time, of which a part is on disk then. */
const PARTS_BYTES = 3 * 1024 * 1024;
const LOOK_MS = 5;
const WRITER = bundledProgram(new URL('store-writer.ts', import.meta.url).pathname);
const NO_CLOCK = { now: () => 0, after: () => () => undefined };

const folder = mkdtempSync(join(tmpdir(), 'everwatch-store-crash-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a writer until it is killed; gives the version it last said to be settled. */
async function runAndKill(path: string, delayMs: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let settled = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, version] = line.split(' ');
    if (word === 'ready') setTimeout(() => child.kill('SIGKILL'), delayMs);
    else settled = Number(version);
  }
  return settled;
}

function expectWhole(store: LmdbObjectStore): void {
  const applied = store.appliedVersion;
  expect(applied % BATCH).toBe(0);
  expect([...store.writers()]).toEqual(applied === 0 ? [] : [['w', applied]]);

  const current = [...store.current()].map(
    ({ resource, path, resourceVersion: version }) => [`${resource}/${path}`, version] as const,
  );
  expect(new Map(current)).toEqual(currentAt(applied));

  const all = RESOURCES.flatMap((resource) => [
    ...store.changesAfter(resource, resourceVersion(0)),
  ]).sort((a, b) => a - b);
  expect(all).toEqual(Array.from({ length: applied }, (_, index) => index + 1));

  const middle = resourceVersion(Math.floor(applied / 2));
  const then = RESOURCES.flatMap((resource) =>
    [...store.pathsAt(resource, { prefix: '', from: '' }, middle)].map(
      ({ path, resourceVersion: version }) => [`${resource}/${path}`, version] as const,
    ),
  );
  expect(new Map(then)).toEqual(currentAt(middle));
}

/** Runs one that fills a store until it has come so much further, and kills it. @returns where it began. */
async function fillAndKill(path: string, bytesMore: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, path, 'filling'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let began = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    began = Number(line.split(' ')[1]);
    const from = sizeOf(path);
    const look = setInterval(() => {
      if (sizeOf(path) - from < bytesMore) return;
      clearInterval(look);
      child.kill('SIGKILL');
    }, LOOK_MS);
  }
  return began;
}

function sizeOf(path: string): number {
  const [layout = ''] = readdirSync(path);
  return statSync(join(path, layout, 'data.mdb')).size;
}

it('goes on with a first fold where the process before was killed', async () => {
  const path = join(folder, 'filled');
  let reached = 0;
  for (let kill = 0; kill < FILLING_KILLS; kill += 1) {
    expect(await fillAndKill(path, kill === 0 ? 0 : PARTS_BYTES)).toBe(reached);
    const store = new LmdbObjectStore(path, NO_CLOCK);
    if (kill > 0) expect(store.appliedVersion).toBeGreaterThan(reached);
    reached = store.appliedVersion;
    await store.close();
  }
  const store = new LmdbObjectStore(path, NO_CLOCK);
  await store.settled();
  expectWhole(store);
  await store.close();
});

it('keeps what was settled, and never half of what was recorded together', async () => {
  const seed = Number(process.env['EVERWATCH_SEED'] ?? Date.now() % 1_000_000);
  console.log(`EVERWATCH_SEED=${String(seed)}`);
  const random = chanceFrom(seed);
  const path = join(folder, 'store');

  for (let kill = 0; kill < KILLS; kill += 1) {
    const settled = await runAndKill(path, Math.floor(random() * 300));
    const store = new LmdbObjectStore(path, NO_CLOCK);
    expect(store.appliedVersion).toBeGreaterThanOrEqual(settled);
    expectWhole(store);
    await store.close();
  }
});
