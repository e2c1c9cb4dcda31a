/**
 * `npx tsx bench/ratios.ts [ROUNDS] [OBJECTS] [BUILD…]`: what a create, a get and an update cost the
 * built server and a real kube-apiserver with its etcd, in microseconds of processor time, by turns in
 * one run, and how many times ours is contained in theirs. A BUILD is an everwatch.js of another tree
 * to stand beside; of the last one the ratio to ours is printed too. Needs Go.
 *
 * The first rounds are the cold ones, in which V8 compiles; the medians leave them out. Only ratios are
 * comparable between machines, and on a machine that does other work only by turns.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { withPeer } from '../e2e/media/peer.ts';
import {
  type BenchServer,
  cpuMicrosecondsOf,
  startServer,
  stopServer,
  TOKEN,
} from './bench-server.ts';
import { type Loaded, LoadGenerator } from './load-generator.ts';

const ROUNDS = Number(process.argv[2] ?? '8');
const OBJECTS = Number(process.argv[3] ?? '3000');
const OTHER_BUILDS = process.argv.slice(4);
const COLD_ROUNDS = Math.min(3, ROUNDS - 1);
const PHASES = ['create', 'get', 'update'];
const OURS = 'ours';
const THEIRS = 'kube-apiserver';

interface Side extends Omit<Loaded, 'pids'> {
  readonly name: string;
  readonly pid: number;
}

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
const servers: BenchServer[] = [];
/** Microseconds of each round, by phase and name of the side. */
const costs = new Map<string, number[]>();
try {
  const generator = new LoadGenerator(directory);
  const sides = [await started(OURS), ...(await Promise.all(OTHER_BUILDS.map(startedBuild)))];
  await withPeer(async ({ url, token, pid }) => {
    sides.push({ name: THEIRS, url, token: token ?? '', pid });
    for (let round = 0; round < ROUNDS; round += 1) await turn(generator, sides, round);
  });
  report(sides);
} finally {
  await Promise.all(servers.map(stopServer));
  rmSync(directory, { recursive: true, force: true });
}

function startedBuild(build: string): Promise<Side> {
  return started(build, build);
}

async function started(name: string, build?: string): Promise<Side> {
  const home = join(directory, String(servers.length));
  mkdirSync(home);
  const server = await startServer(home, ['--authorization-mode=RBAC'], build);
  servers.push(server);
  return { name, url: server.url, token: TOKEN, pid: server.process.pid ?? 0 };
}

async function turn(generator: LoadGenerator, sides: Side[], round: number): Promise<void> {
  // The objects of a round are its own: a create is one in every round.
  const flags = ['-n', String(OBJECTS), '-namespace', `round-${String(round)}`];
  for (const phase of PHASES) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const from = cpuMicrosecondsOf(side.pid);
      const [line] = await generator.load({ ...side, pids: [side.pid] }, [
        ...flags,
        '-phases',
        phase,
      ]);
      const cost = (cpuMicrosecondsOf(side.pid) - from) / OBJECTS;
      if (line?.errors !== 0) throw new Error(`${phase} failed at ${side.name}`);
      const all = costs.get(`${phase} ${side.name}`) ?? [];
      costs.set(`${phase} ${side.name}`, [...all, cost]);
    }
  }
  const load = loadavg()[0]?.toFixed(1) ?? '';
  process.stderr.write(`round ${String(round + 1)} of ${String(ROUNDS)}, load ${load}\n`);
}

function report(sides: readonly Side[]): void {
  print(['phase', 'side', 'cold µs', 'warm µs', 'theirs ÷ it', 'it ÷ ours']);
  for (const phase of PHASES) {
    const rounds = (name: string) => costs.get(`${phase} ${name}`) ?? [];
    for (const { name } of sides) {
      const mine = rounds(name);
      print([
        phase,
        name.slice(-24),
        (mine[0] ?? 0).toFixed(0),
        median(mine.slice(COLD_ROUNDS)).toFixed(0),
        median(quotients(rounds(THEIRS), mine)).toFixed(2),
        median(quotients(mine, rounds(OURS))).toFixed(3),
      ]);
    }
  }
}

/** Of the rounds that are not cold, pair by pair: what both sides cost in the same minute. */
function quotients(above: readonly number[], below: readonly number[]): number[] {
  return above.map((cost, round) => cost / (below[round] ?? 1)).slice(COLD_ROUNDS);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [
    sorted[sorted.length % 2 === 0 ? middle - 1 : middle],
    sorted[middle],
  ];
  return (low + high) / 2;
}

function print(cells: readonly string[]): void {
  process.stdout.write(`${cells.map((cell) => cell.padEnd(26)).join('')}\n`);
}
