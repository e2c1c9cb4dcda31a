/**
 * What a fork costs: nothing is copied when it is made, and little when it is looked at. Prints the
 * figures; `EVERWATCH_FORK_OBJECTS=100000` for more of them.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { listAt } from '../support/json.ts';
import { residentBytes } from '../support/memory.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { configMap, forkPath, FORKS, makeFork, MAPS, putMap } from './fork-client.ts';

const OBJECTS = Number(process.env['EVERWATCH_FORK_OBJECTS'] ?? 5_000);
const WRITERS = 32;
/** A new LMDB file, twice; however much the parent has. */
const OWN_BYTES_MAX = 2 * 1024 * 1024;

let server: RunningServer;
let client: AdminClient;

beforeAll(async () => {
  server = await startServer();
  client = adminClient(server);
});
afterAll(async () => {
  client.close();
  await server.stop();
});

async function write(count: number, value: string): Promise<void> {
  let next = 0;
  const writer = async (): Promise<void> => {
    for (let index = next; index < count; index = next) {
      next += 1;
      const name = `map-${String(index)}`;
      const body = configMap(name, value.repeat(900));
      const { status } =
        value === 'a' ? await client.post(MAPS, body) : await client.put(`${MAPS}/${name}`, body);
      expect([200, 201]).toContain(status);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

function memoryMiB(): number {
  return Math.round(residentBytes(server.pid) / 1024 / 1024);
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  const took = `${(performance.now() - begun).toFixed(1)} ms`;
  console.log(`${what.padEnd(48)} ${took.padStart(10)} ${String(memoryMiB()).padStart(6)} MiB`);
}

it('is little, however many objects there are', { timeout: 1_200_000 }, async () => {
  await timed(`${String(OBJECTS)} objects written`, () => write(OBJECTS, 'a'));
  const look = async (name: string): Promise<void> => {
    const maps = forkPath(name, MAPS);
    await timed('  opened', () => client.get(forkPath(name, '/version')));
    await timed('  first look at a resource', () => client.get(`${maps}/map-7`));
    await timed('  second look', () => client.get(`${maps}/map-8`));
    await timed('  a write', () => putMap(client, 'own', name, maps));
    await timed('  a list', async () => {
      const { body } = await client.get(maps);
      expect(listAt(body, 'items')).toHaveLength(OBJECTS + 1);
    });
  };
  let base = 0;
  await timed('a fork of now', async () => {
    base = await makeFork(client, 'now');
  });
  await look('now');
  await write(Math.floor(OBJECTS / 2), 'b');
  const revision = String(base);
  await timed('a fork of before half of them changed', () =>
    makeFork(client, 'past', { revision }),
  );
  await look('past');
  const forks = join(server.dataDir, 'forks');
  for (const uid of readdirSync(forks)) {
    expect(bytesIn(join(forks, uid))).toBeLessThan(OWN_BYTES_MAX);
  }
  const names = Array.from({ length: 10 }, (_, index) => `many-${String(index)}`);
  await timed('ten forks', () => Promise.all(names.map((name) => makeFork(client, name))));
  await timed('  first look at each', () =>
    Promise.all(names.map((name) => client.get(forkPath(name, `${MAPS}/map-7`)))),
  );
  await timed('  deleted', () =>
    Promise.all(names.map((name) => client.delete(`${FORKS}/${name}`))),
  );
});
