/**
 * `npx tsx bench/attacks.ts [SECONDS] [NAME]`: what a second client hears of an attack. Each attack
 * of bench/attack-requests.ts is sent again and again over several connections for 30 seconds, while
 * the second client asks `/livez` over a connection of its own; printed are its latencies, how many
 * requests of the attack were answered, and what one of them cost the server in processor time.
 *
 * The attacker is a process of its own: in this one its work would delay the client that measures.
 * A machine that other programs use makes both ends wait for a processor; the kernel counts how long, and
 * the last of the latencies is the longest without these waits. Exit code 1 when that is longer
 * than it may be.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runArguments } from '../run-arguments.ts';
import type { Attack } from './attack.ts';
import { ATTACKS, PREPARATIONS, sendAttack } from './attack-requests.ts';
import { BenchClient } from './bench-client.ts';
import {
  cpuMicroseconds,
  startServer,
  stopServer,
  TOKEN,
  type BenchServer,
} from './bench-server.ts';

const [seconds = '30', only = '', attacked = ''] = runArguments(import.meta.filename, {
  allowPositionals: true,
}).positionals;
const SECONDS = Number(seconds);
const CONNECTIONS = 4;
const LATENCY_MAX_MS = 250;
const ASK_EVERY_MS = 50;

interface Counts {
  readonly answered: number;
  readonly codes: Readonly<Record<string, number>>;
}

if (process.send === undefined) await compare();
else await attack(only, attacked);

async function compare(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
  const users = join(directory, 'users.csv');
  writeFileSync(users, `${TOKEN},bench,1,"system:masters"\nquiet,quiet,3\n`);
  const server = await startServer(directory, ['--token-auth-file', users]);
  const admin = new BenchClient(server.url, TOKEN);
  for (const [method, path, body] of PREPARATIONS) await admin.ask(method, path, body);
  print([
    'attack',
    'p50 ms',
    'p99 ms',
    'longest ms',
    'less waits',
    'requests',
    'CPU ms each',
    'answers',
  ]);
  let slow = 0;
  try {
    for (const one of ATTACKS.filter(({ name }) => name.includes(only))) {
      if ((await measured(server, one)) > LATENCY_MAX_MS) slow += 1;
    }
  } finally {
    admin.close();
    await stopServer(server);
    rmSync(directory, { recursive: true, force: true });
  }
  process.exitCode = slow > 0 ? 1 : 0;
}

/** @returns the longest that an answer of `/livez` took, less what was waited for a processor, in milliseconds. */
async function measured(server: BenchServer, { name }: Attack): Promise<number> {
  const quiet = new BenchClient(server.url, 'quiet', 1);
  await quiet.ask('GET', '/livez');
  const before = cpuMicroseconds(server);
  const attacker = fork(import.meta.filename, [String(SECONDS), name, server.url]);
  const counted = new Promise<Counts>((resolve) => attacker.once('message', resolve));
  const took: number[] = [];
  let longestLess = 0;
  const end = performance.now() + SECONDS * 1_000;
  while (performance.now() < end) {
    const waited = waitedMs(server);
    const from = performance.now();
    await quiet.ask('GET', '/livez');
    const ms = performance.now() - from;
    took.push(ms);
    longestLess = Math.max(longestLess, ms - (waitedMs(server) - waited));
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  attacker.send('enough');
  const { answered, codes } = await counted;
  const cpuMs = (cpuMicroseconds(server) - before) / 1_000;
  quiet.close();
  took.sort((one, other) => one - other);
  const longest = took.at(-1) ?? 0;
  const latencies = [at(took, 0.5), at(took, 0.99), longest, longestLess].map((ms) =>
    ms.toFixed(1),
  );
  const each = (cpuMs / Math.max(1, answered)).toFixed(1);
  print([name, ...latencies, String(answered), each, JSON.stringify(codes)]);
  return longestLess;
}

/** How long the loops of the server and of this process have been ready to run and did not, in milliseconds. */
function waitedMs({ process: { pid } }: BenchServer): number {
  const nanoseconds = [pid, process.pid].map((id) => {
    // The thread of the loop has the number of its process.
    const stat = readFileSync(`/proc/${String(id)}/task/${String(id)}/schedstat`, 'utf8');
    return Number(stat.split(' ')[1]);
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** Until the parent has enough. */
async function attack(name: string, url: string): Promise<void> {
  setPriority(constants.priority.PRIORITY_LOW);
  const one = ATTACKS.find((known) => known.name === name);
  if (one === undefined) throw new Error(`no attack is called ${name}`);
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  const codes: Record<string, number> = {};
  let answered = 0;
  const workers = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      const code = await sendAttack(url, one);
      codes[code] = (codes[code] ?? 0) + 1;
      answered += 1;
    }
  });
  await Promise.all(workers);
  process.send?.({ answered, codes } satisfies Counts);
  process.disconnect();
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(sorted.length * part)] ?? 0;
}

function print([name = '', ...cells]: readonly string[]): void {
  process.stdout.write(`${name.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join('')}\n`);
}
