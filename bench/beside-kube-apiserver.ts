/**
 * `npx tsx bench/beside-kube-apiserver.ts [REPEATS] [NAME,NAME]`: what each attack of
 * bench/attack-requests.ts costs the built server and a real kube-apiserver, in milliseconds of
 * processor time of the whole process. The requests are sent one after another, by turns to both;
 * printed is the least of all repeats, and what both answered. Needs Go, which builds kube-apiserver
 * with its etcd in the same process (e2e/go-peer); dry runs and reviews do not reach the etcd.
 *
 * Linux counts in hundredths of a second, so cheap requests are sent many times for one figure. To some
 * of the others kube-apiserver answers 504 after its 34 or 60 seconds, so each is sent as seldom as can
 * be, and what is being measured is told on stderr.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withPeer, type Peer } from '../e2e/media/peer.ts';
import { runArguments } from '../run-arguments.ts';
import type { Attack } from './attack.ts';
import { ATTACKS, PREPARATIONS, sendAttack } from './attack-requests.ts';
import { BenchClient } from './bench-client.ts';
import { startServer, stopServer, TOKEN } from './bench-server.ts';

const [repeats = '4', only = ''] = runArguments(import.meta.filename, {
  allowPositionals: true,
}).positionals;
const REPEATS = Number(repeats);
const ONLY = only.split(',');
const MS_PER_TICK = 10;
/** So many are sent for one figure: of those whose body is small. */
const MANY = 400;
/** So many before, until our code is compiled: the first 400 cost four times what later ones do. */
const WARM = 6_000;
const SMALL_BYTES = 100_000;

type Side = Pick<Peer, 'url' | 'pid' | 'token'>;

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
const server = await startServer(directory);
try {
  const ours = { url: server.url, token: TOKEN, pid: server.process.pid ?? 0 };
  await withPeer((theirs) => compare(ours, theirs));
} finally {
  await stopServer(server);
  rmSync(directory, { recursive: true, force: true });
}

async function compare(ours: Side, theirs: Side): Promise<void> {
  for (const side of [ours, theirs]) await prepare(side);
  print(['request', 'ours, ms', 'theirs, ms', 'times', 'answers']);
  for (const attack of ATTACKS.filter(({ name }) => ONLY.some((part) => name.includes(part)))) {
    const [mine, other] = [await warm(ours, attack), await warm(theirs, attack)];
    let [less, more] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < REPEATS; round += 1) {
      less = Math.min(less, await costMs(ours, attack));
      more = Math.min(more, await costMs(theirs, attack));
    }
    const times = (less / more).toFixed(2);
    print([attack.name, less.toFixed(1), more.toFixed(1), times, `${mine} ${other}`]);
  }
}

async function prepare({ url, token }: Side): Promise<void> {
  const admin = new BenchClient(url, token);
  for (const [method, path, body] of PREPARATIONS) await admin.ask(method, path, body);
  admin.close();
}

/** What is compiled or learnt at the first of such requests is not measured. */
async function warm(side: Side, attack: Attack): Promise<string> {
  process.stderr.write(`${attack.name} is sent to ${side.url}\n`);
  for (let time = 0; isSmall(attack) && time < WARM; time += 1) {
    await sendAttack(side.url, attack, side.token);
  }
  return sendAttack(side.url, attack, side.token);
}

function isSmall({ body }: Attack): boolean {
  return (body?.().length ?? 0) < SMALL_BYTES;
}

async function costMs(side: Side, attack: Attack): Promise<number> {
  const times = isSmall(attack) ? MANY : 1;
  const from = ticksOf(side.pid);
  for (let time = 0; time < times; time += 1) await sendAttack(side.url, attack, side.token);
  return ((ticksOf(side.pid) - from) * MS_PER_TICK) / times;
}

/** Of user and system, of all threads there are and were. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function print([name = '', ...cells]: readonly string[]): void {
  process.stdout.write(`${name.padEnd(28)}${cells.map((cell) => cell.padStart(12)).join('')}\n`);
}
