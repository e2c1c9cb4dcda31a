/**
 * `npx tsx bench/workers.ts [ROUNDS] [OBJECTS] [COUNT…] [BUILD.js…]`: the same load by turns on a server of one process, on
 * servers of COUNT workers, and on COUNT servers of one process beside each other, each with its part of the load.
 * Printed are operations per second, CPU per operation of all processes of the server, and their memory, of which
 * `PSS` counts what processes share once; behind the rounds how many times the cost of one process each side has.
 * A BUILD is the everwatch.js of another tree, and has sides of its own. Needs Go, and Linux.
 *
 * The servers beside each other are what workers can come to at best: each process has half of the load, so it wakes
 * more often for an operation, and all of them share the caches of the machine. The load generator runs on the same
 * cores. What of a core it takes no server has, so on few cores the CPU per operation says more than the rate.
 *
 * Every side is warmed up, each process by as many operations: V8 compiles what a process does often, and each does
 * it for itself.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { numbersAmong, runArguments } from '../run-arguments.ts';
import { type BenchServer, startServer, stopServer, TOKEN } from './bench-server.ts';
import { type Line, type Loaded, LoadGenerator } from './load-generator.ts';

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const { numbers, others } = numbersAmong(positionals);
const [rounds = 3, objects = 2_000, ...counts] = numbers;
const BUILDS = others.length === 0 ? ['dist/everwatch.js'] : others;
const COUNTS = counts.length === 0 ? [2] : counts;

/** A server, or several beside each other, that get the load together. */
interface Side {
  readonly name: string;
  readonly build: string;
  readonly servers: number;
  /** Of each server. */
  readonly workers: number;
}

const SIDES: readonly Side[] = BUILDS.flatMap((build, at) => {
  const of = BUILDS.length === 1 ? '' : ` (${String(at + 1)})`;
  return [
    { name: `1 process${of}`, build, servers: 1, workers: 1 },
    ...COUNTS.flatMap((count) => [
      { name: `${String(count)} workers${of}`, build, servers: 1, workers: count },
      { name: `${String(count)} servers${of}`, build, servers: count, workers: 1 },
    ]),
  ];
});

/** All sides together have so much under way, and the parts of it are whole numbers. */
const MOST = Math.max(...COUNTS);
const REQUESTS = 16 * MOST;
const CONNECTIONS = 4 * MOST;
const LISTS = 20 * MOST;
const WATCHERS = 50 * MOST;
/** Operations that each process has answered before it is measured. */
const WARM = 8_000;
const EVENTS = 600;

const LOOK_MS = 50;
/** The last worker folds an empty log meanwhile. */
const READY_MS = 2_000;
const KIB_PER_MIB = 1_024;
const US_PER_S = 1e6;

/** What each side's phases cost, round by round. */
const costs = new Map<string, Map<string, number[]>>();

const directory = mkdtempSync(join(tmpdir(), 'everwatch-workers-'));
try {
  const generator = new LoadGenerator(directory);
  print('side', ['phase', 'ops/s', 'CPU µs/op', 'busy cores', 'p99 ms', 'errors', 'load']);
  for (let round = 0; round < rounds; round += 1) {
    const turns = round % 2 === 0 ? SIDES : SIDES.toReversed();
    for (const side of turns) await measure(generator, side, String(round));
  }
  printRatios();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measure(generator: LoadGenerator, side: Side, round: string): Promise<void> {
  const running: (Loaded & { readonly server: BenchServer })[] = [];
  try {
    for (let at = 0; at < side.servers; at += 1) {
      const folder = join(directory, `${round}-${side.name}-${String(at)}`);
      mkdirSync(folder);
      const flags = ['--workers', String(side.workers)];
      const server = await startServer(folder, flags, side.build);
      const pids = await processesOf(server, side.workers);
      running.push({ server, url: server.url, token: TOKEN, pids });
    }
    const load = (flags: readonly string[]): Promise<Line[][]> =>
      Promise.all(running.map((one) => generator.load(one, [...partOf(side), ...flags])));
    await load(warmUp(side));
    for (const phases of ['create,get,update,mixed,list,page', 'watch'])
      report(side, togetherOf(await load(['-phases', phases, ...measured(side)])));
    printMemory(
      side,
      running.flatMap(({ pids }) => pids),
    );
  } finally {
    for (const { server } of running) await stopServer(server);
  }
}

/** What one of the servers of the side has under way. */
function partOf({ servers }: Side): string[] {
  return [
    ...['-n', String(objects), '-c', String(REQUESTS / servers)],
    ...['-conns', String(CONNECTIONS / servers), '-listers', String(MOST / servers)],
  ];
}

function warmUp({ servers, workers }: Side): string[] {
  const processes = workers / servers;
  const phases = [
    'create',
    'get',
    'update',
    'mixed',
    ...Array<string>(4).fill('list'),
    'page',
    'page',
  ];
  return [
    ...['-namespace', 'warm', '-phases', [...phases, 'delete'].join(',')],
    ...['-ops', String(WARM * Math.max(1, processes)), '-lists', String(LISTS * processes)],
  ];
}

function measured({ servers }: Side): string[] {
  return [
    ...['-ops', String((2 * objects) / servers), '-lists', String(LISTS / servers)],
    ...['-watchers', String(WATCHERS / servers), '-streams', '25'],
    ...['-events', String(EVENTS), '-rate', '200'],
  ];
}

/** Of the phases that all generators had at the same time. */
function togetherOf(loads: readonly (readonly Line[])[]): Line[] {
  const [first = []] = loads;
  return first.map((one, at) => {
    const lines = loads.flatMap((load) => load[at] ?? []);
    const sum = (of: (line: Line) => number): number =>
      lines.reduce((total, line) => total + of(line), 0);
    return {
      ...one,
      ops_per_s: sum((line) => line.ops_per_s),
      p99_ms: Math.max(...lines.map((line) => line.p99_ms)),
      errors: sum((line) => line.errors),
      server_cpu_us_per_op:
        sum((line) => line.server_cpu_us_per_op * line.ops) / sum((line) => line.ops),
    };
  });
}

/** A server of several has an owner of the log and its workers, which are there a little later. */
async function processesOf({ process: child }: BenchServer, count: number): Promise<number[]> {
  const pid = String(child.pid);
  if (count === 1) return [Number(pid)];
  for (;;) {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const workers = text.split(' ').map(Number);
    if (workers.length === count) {
      await new Promise((resolve) => setTimeout(resolve, READY_MS));
      return [Number(pid), ...workers];
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function printMemory({ name }: Side, pids: readonly number[]): void {
  const [pss, rss] = ['Pss', 'Rss'].map((field) => {
    const each = pids.map((pid) => rolledUp(pid, field) / KIB_PER_MIB);
    const sum = each.reduce((total, one) => total + one, 0);
    return `${sum.toFixed(0)} MiB (${each.map((one) => one.toFixed(0)).join(' + ')})`;
  });
  const cores = String(availableParallelism());
  process.stdout.write(`${name}, ${cores} cores: PSS ${String(pss)}, RSS ${String(rss)}\n`);
}

function rolledUp(pid: number, field: string): number {
  const text = readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
}

function report({ name }: Side, lines: readonly Line[]): void {
  for (const line of lines) {
    const cores = (line.server_cpu_us_per_op * line.ops_per_s) / US_PER_S;
    const ofPhase = costs.get(line.phase) ?? new Map<string, number[]>();
    costs.set(line.phase, ofPhase);
    ofPhase.set(name, [...(ofPhase.get(name) ?? []), line.server_cpu_us_per_op]);
    print(name, [
      line.phase,
      ...[String(line.ops_per_s), line.server_cpu_us_per_op.toFixed(1), cores.toFixed(2)],
      ...[line.p99_ms.toFixed(1), String(line.errors), (loadavg()[0] ?? 0).toFixed(1)],
    ]);
  }
}

/** How many times the cost of the first side an operation has on each: the median of the rounds, and its spread. */
function printRatios(): void {
  const [first] = SIDES;
  for (const [phase, sides] of costs)
    for (const [name, rounded] of sides) {
      const base = sides.get(first?.name ?? '') ?? [];
      const ratios = rounded
        .map((cost, round) => cost / (base[round] ?? Number.NaN))
        .sort((a, b) => a - b);
      const [least = Number.NaN, middle = Number.NaN, most = Number.NaN] = [
        ...[ratios[0], ratios[ratios.length >> 1], ratios.at(-1)],
      ];
      print(name, [phase, `${middle.toFixed(2)} ×`, `${least.toFixed(2)} to ${most.toFixed(2)}`]);
    }
}

function print(side: string, [phase = '', ...cells]: readonly string[]): void {
  const row = cells.map((cell) => cell.padStart(14)).join('');
  process.stdout.write(`${side.padEnd(16)}${phase.padEnd(18)}${row}\n`);
}
