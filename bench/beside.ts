/**
 * `npm run bench -- --beside [DIRECTORY] [BUILD.js…] [ROUNDS]`: the same load on this server and on
 * kube-apiserver with its etcd, by turns, each with RBAC and a store that reaches the disk before it answers.
 * Printed is what an operation costs each in CPU, and how many times ours goes into it: the median of the
 * rounds and its spread. Machines differ by more than that, so no figure of one run says anything about
 * another's.
 *
 * DIRECTORY has `kube-apiserver` and `etcd`, as that of KUBEBUILDER_ASSETS; without it both are built from
 * their Go modules, in one process. A BUILD is the everwatch.js of another tree, and is a side of its own.
 * Unthrottled watches are left out: kube-apiserver ends them.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTokenPeer } from '../e2e/media/peer.ts';
import { numbersAmong } from '../run-arguments.ts';
import { residentMibOf, startServer, stopServer, TOKEN } from './bench-server.ts';
import { type Loaded, LoadGenerator } from './load-generator.ts';

interface RunningSide extends Loaded {
  stop(): Promise<void>;
}

interface Side {
  readonly name: string;
  /** What each phase cost it, round by round. */
  readonly costs: Map<string, Cost[]>;
  start(): Promise<RunningSide>;
}

/** What one phase cost in one round. */
interface Cost {
  readonly cpuUs: number;
  readonly p99Ms: number;
}

const ROUNDS = 3;
export const SIZE = ['-n', '10000', '-c', '32'];
const RBAC = '--authorization-mode=RBAC';

/** Each with the word that stands behind its phases: those of a server that was just started are the first. */
export const PHASES: readonly (readonly [string, ...string[]])[] = [
  ['first', '-namespace', 'first', '-phases', 'create,update,get'],
  ['', '-phases', 'create,update,get,list,page', '-lists', '20'],
  ['100 × 200/s', '-phases', 'watch', '-watchers', '100', '-events', '2000', '-rate', '200'],
  ['1,000 × 20/s', '-phases', 'watch', '-watchers', '1000', '-events', '400', '-rate', '20'],
];

/** @param args what stands behind `--beside`. @throws where there is no Go, or a side fails. */
export async function compare(args: readonly string[]): Promise<void> {
  const {
    numbers: [rounds = ROUNDS],
    others: paths,
  } = numbersAmong(args);
  const binaries = paths.find((path) => statSync(path).isDirectory());
  const builds = paths.filter((path) => path !== binaries);
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-beside-'));
  const side = (name: string, start: Side['start']): Side => ({ name, costs: new Map(), start });
  const ours = side('ours', () => startOurs(folder));
  const sides = [
    ours,
    side('kube-apiserver + etcd', () => startTokenPeer([], { isDurable: true, binaries })),
    ...builds.map((build) => side(build, () => startOurs(folder, build))),
  ];
  try {
    const generator = new LoadGenerator(folder);
    for (let round = 0; round < rounds; round += 1) {
      // The one that comes first has the colder machine.
      const turns = round % 2 === 0 ? sides : sides.toReversed();
      for (const one of turns) await measure(generator, one);
      const busy = loadavg()[0]?.toFixed(1) ?? '';
      note(`round ${String(round + 1)} of ${String(rounds)}; load of the machine ${busy}`);
    }
    print(ours, sides);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(generator: LoadGenerator, { costs, start }: Side): Promise<void> {
  const add = (phase: string, cost: Cost): void => {
    costs.set(phase, [...(costs.get(phase) ?? []), cost]);
  };
  const running = await start();
  try {
    for (const [word, ...flags] of PHASES) {
      const lines = await generator.load(running, [...SIZE, ...flags]);
      for (const { phase, errors, server_cpu_us_per_op: cpuUs, p99_ms: p99Ms } of lines)
        add(`${phase} ${word}${errors > 0 ? ' (errors)' : ''}`.trim(), { cpuUs, p99Ms });
    }
    const mib = running.pids.reduce((sum, pid) => sum + residentMibOf(pid), 0);
    add('MiB at the end', { cpuUs: mib, p99Ms: Number.NaN });
  } finally {
    await running.stop();
  }
}

async function startOurs(folder: string, build?: string): Promise<RunningSide> {
  const server = await startServer(mkdtempSync(join(folder, 'ours-')), [RBAC], build);
  const { url, process: child } = server;
  return { url, token: TOKEN, pids: [child.pid ?? 0], stop: () => stopServer(server) };
}

/** Each phase with a row for each side. */
function print(ours: Side, sides: readonly Side[]): void {
  row(['phase', 'side', 'µs an operation', '÷ ours', 'from', 'to', 'p99 ms']);
  for (const [phase, own] of ours.costs)
    for (const { name, costs } of sides) {
      const rounds = costs.get(phase) ?? [];
      const ratios = rounds.map(({ cpuUs }, round) => cpuUs / (own[round]?.cpuUs ?? Number.NaN));
      const p99 = median(rounds.map(({ p99Ms }) => p99Ms));
      const cost = median(rounds.map(({ cpuUs }) => cpuUs));
      row([
        ...[phase, name.slice(-SIDE_CHARACTERS)],
        cost.toFixed(cost < SMALL ? 1 : 0),
        ...[median(ratios), Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2)),
        Number.isNaN(p99) ? '' : p99.toFixed(1),
      ]);
    }
}

const SIDE_CHARACTERS = 24;
/** Costs below it are printed with a decimal. */
const SMALL = 100;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

function row([phase = '', side = '', ...cells]: readonly string[]): void {
  const figures = cells.map((cell) => cell.padStart(17)).join('');
  process.stdout.write(`${phase.padEnd(24)}${side.padEnd(SIDE_CHARACTERS + 2)}${figures}\n`);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
