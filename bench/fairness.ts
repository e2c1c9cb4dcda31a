/**
 * `npx tsx bench/fairness.ts [SECONDS]`: what a user hears of another one's flood. One asks for an
 * object again and again, alone and then beside lists of everything from many connections; printed
 * are his latencies, and what became of the flood. The flood is a process of its own, since in this
 * one its answers would stand before his.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runArguments } from '../run-arguments.ts';
import { BenchClient } from './bench-client.ts';
import { startServer, stopServer, TOKEN } from './bench-server.ts';

const [seconds = '5', flooded = ''] = runArguments(import.meta.filename, {
  allowPositionals: true,
}).positionals;
const SECONDS = Number(seconds);
const FLOOD_CONNECTIONS = 40;
const OBJECTS = 100;
const OBJECT_BYTES = 2_000;
const MAPS = '/api/v1/namespaces/default/configmaps';

if (process.send === undefined) await compare();
else await flood(flooded);

async function compare(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
  const users = join(directory, 'users.csv');
  writeFileSync(users, `${TOKEN},bench,1,"system:masters"\nflood,flood,2\nquiet,quiet,3\n`);
  const server = await startServer(directory, ['--token-auth-file', users]);
  const admin = new BenchClient(server.url, TOKEN);
  const quiet = new BenchClient(server.url, 'quiet');
  try {
    const data = { text: 'x'.repeat(OBJECT_BYTES) };
    await admin.askMany(OBJECTS, 1, (nth) => {
      return ['POST', MAPS, { metadata: { name: `map-${String(nth)}` }, data }];
    });
    await latencies(quiet, 1);
    const alone = await latencies(quiet, SECONDS);
    print('alone', alone);
    const flooding = fork(import.meta.filename, [String(SECONDS), server.url]);
    const began = new Promise((resolve) => flooding.once('message', resolve));
    await began;
    const counts = new Promise((resolve) => flooding.once('message', resolve));
    const beside = await latencies(quiet, SECONDS);
    flooding.send('enough');
    print('beside the flood', beside);
    console.log('the flood', await counts);
    console.log('p99, times that alone', (at(beside, 0.99) / at(alone, 0.99)).toFixed(1));
  } finally {
    admin.close();
    quiet.close();
    await stopServer(server);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Until the parent has enough. Tells it when it has begun, and at the end how often each code was the answer. */
async function flood(url: string): Promise<void> {
  // It is the server that is measured, and not how two clients share what it leaves of the machine.
  setPriority(constants.priority.PRIORITY_LOW);
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  const client = new BenchClient(url, 'flood');
  const codes = new Map<number, number>();
  const workers = Array.from({ length: FLOOD_CONNECTIONS }, async () => {
    while (!isOver) {
      const { status } = await client.ask('GET', MAPS);
      if (codes.size === 0) process.send?.('begun');
      codes.set(status, (codes.get(status) ?? 0) + 1);
    }
  });
  await Promise.all(workers);
  process.send?.(Object.fromEntries(codes));
  client.close();
}

/** Milliseconds of each request of a client that asks again and again, in order of length. */
async function latencies(client: BenchClient, seconds: number): Promise<number[]> {
  const took: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const from = performance.now();
    const { status, text } = await client.ask('GET', `${MAPS}/map-0`);
    if (status !== 200) throw new Error(`the quiet user was answered: ${text}`);
    took.push(performance.now() - from);
  }
  return took.sort((one, other) => one - other);
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}

function print(what: string, sorted: readonly number[]): void {
  const [half, most] = [at(sorted, 0.5), at(sorted, 0.99)].map((ms) => `${ms.toFixed(1)} ms`);
  console.log(`${what}: p50 ${half ?? ''}, p99 ${most ?? ''}, ${String(sorted.length)} requests`);
}
