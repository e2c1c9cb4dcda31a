/**
 * `npx tsx bench/fairness.ts [SECONDS]`: what a user hears of another one's flood. One asks for an
 * object again and again, alone and then beside lists of everything from many connections; printed
 * are his latencies, and what became of the flood.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, stopServer, TOKEN } from './bench-server.ts';

const SECONDS = Number(process.argv[2] ?? '5');
const FLOOD_CONNECTIONS = 40;
const OBJECTS = 100;
const OBJECT_BYTES = 2_000;
const MAPS = '/api/v1/namespaces/default/configmaps';
/** Each user has connections of his own. */
const agents = new Map<string, Agent>();

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
const users = join(directory, 'users.csv');
writeFileSync(users, `${TOKEN},bench,1,"system:masters"\nflood,flood,2\nquiet,quiet,3\n`);
const server = await startServer(directory, ['--token-auth-file', users]);
try {
  for (let at = 0; at < OBJECTS; at += 1) await create(`map-${String(at)}`);
  await quietFor(1);
  const alone = await quietFor(SECONDS);
  print('alone', alone);
  let isOver = false;
  const flood = new Map<number, number>();
  const workers = Array.from({ length: FLOOD_CONNECTIONS }, async () => {
    while (!isOver) {
      const code = await ask('flood', MAPS);
      flood.set(code, (flood.get(code) ?? 0) + 1);
    }
  });
  const beside = await quietFor(SECONDS);
  isOver = true;
  await Promise.all(workers);
  print('beside the flood', beside);
  console.log('the flood', Object.fromEntries(flood));
  console.log('p99, times that alone', (at(beside, 0.99) / at(alone, 0.99)).toFixed(1));
} finally {
  for (const agent of agents.values()) agent.destroy();
  await stopServer(server);
  rmSync(directory, { recursive: true, force: true });
}

async function create(name: string): Promise<void> {
  const data = { text: 'x'.repeat(OBJECT_BYTES) };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  await ask(TOKEN, MAPS, JSON.stringify(body));
}

/** Milliseconds of each request, in order of length. */
async function quietFor(seconds: number): Promise<number[]> {
  const took: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const from = performance.now();
    const code = await ask('quiet', `${MAPS}/map-0`);
    if (code !== 200) throw new Error(`the quiet user was answered ${String(code)}`);
    took.push(performance.now() - from);
  }
  return took.sort((one, other) => one - other);
}

function ask(token: string, path: string, body?: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { agent: agentOf(token), headers, method: body === undefined ? 'GET' : 'POST' };
    request(server.url + path, options, (answer) => {
      answer.resume().on('end', () => {
        resolve(answer.statusCode ?? 0);
      });
    })
      .on('error', reject)
      .end(body);
  });
}

function agentOf(token: string): Agent {
  const agent = agents.get(token) ?? new Agent({ keepAlive: true, rejectUnauthorized: false });
  agents.set(token, agent);
  return agent;
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}

function print(what: string, sorted: readonly number[]): void {
  const [half, most] = [at(sorted, 0.5), at(sorted, 0.99)].map((ms) => `${ms.toFixed(1)} ms`);
  console.log(`${what}: p50 ${half ?? ''}, p99 ${most ?? ''}, ${String(sorted.length)} requests`);
}
