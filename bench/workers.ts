/**
 * `npx tsx bench/workers.ts [ROUNDS] [OBJECTS] [COUNT…] [BUILD.js…]`: the same load by turns on a server of one process, on
 * servers of COUNT workers, and on COUNT servers of one process beside each other, each with its part of the load.
 * Printed are operations per second, CPU per operation of all processes of the server and of the load generator, and
 * memory, of which `PSS` counts what processes share once; behind the rounds how many times the cost of one process each
 * side has. A BUILD is the everwatch.js of another tree, and has sides of its own. Needs Go, and Linux.
 *
 * The servers beside each other are what workers can come to at best: each process has half of the load, so it wakes
 * more often for an operation, and all of them share the caches of the machine.
 *
 * The load generator runs on the same cores, so it writes its requests by hand where it can. `cores ÷ CPU` is how many
 * operations a second all cores could do for server and generator together; of one process, one core is the limit.
 *
 * Every side is warmed up until V8 has compiled what its processes do, which each does for itself: passes of 8,000
 * operations of each kind a process, until the threads of V8 take little of the time, or there have been many.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { numbersAmong, runArguments } from '../run-arguments.ts';
import { type BenchServer, startServer, stopServer, TOKEN } from './bench-server.ts';
import { type Line, type Loaded, LoadGenerator } from './load-generator.ts';

const { positionals, values } = runArguments(import.meta.filename, {
  allowPositionals: true,
  options: { 'in-flight': { type: 'string', default: '128' } },
});
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
const REQUESTS = Math.ceil(Number(values['in-flight']) / MOST) * MOST;
const CONNECTIONS = Math.ceil(REQUESTS / 4 / MOST) * MOST;
const LISTS = 20 * MOST;
const WATCHERS = 50 * MOST;
const OPERATIONS = 20_000;
const EVENTS = 600;

/** Operations of each kind in a pass, of each process. */
const WARM = 8_000;
/** A side is warm when the threads of V8 have had less of the time of a pass: they collect then, and hardly compile. */
const RESTED_SHARE = 0.08;
const PASSES_MAX = 8;
/** The main thread is the first of a process, and Node starts those of V8 next. */
const V8_THREADS = 5;

const LOOK_MS = 50;
/** The last worker folds an empty log meanwhile. */
const READY_MS = 2_000;
const KIB_PER_MIB = 1_024;
const US_PER_S = 1e6;
const CORES = availableParallelism();

/** What each side's phases cost, round by round. */
const costs = new Map<string, Map<string, number[]>>();

const directory = mkdtempSync(join(tmpdir(), 'everwatch-workers-'));
try {
  const generator = new LoadGenerator(directory);
  const columns = ['ops/s', 'CPU µs/op', 'generator', 'cores ÷ CPU', 'p99 ms', 'errors', 'load'];
  print('side', ['phase', ...columns]);
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
    const pids = running.flatMap((one) => one.pids);
    await warmUp(side, pids, () => load(passOf(side)));
    for (const phases of ['create,get,update,mixed,list,page', 'watch'])
      report(side, togetherOf(await load(['-phases', phases, ...measured(side)])));
    printMemory(side, pids);
  } finally {
    for (const { server } of running) await stopServer(server);
  }
}

/** What one of the servers of the side has under way. */
function partOf({ servers }: Side): string[] {
  return [
    ...['-wire', '-n', String(objects), '-c', String(REQUESTS / servers)],
    ...['-conns', String(CONNECTIONS / servers), '-listers', String(MOST / servers)],
  ];
}

/** Loads the side until it is warm, and says how often, and how it was at last. */
async function warmUp(
  { name }: Side,
  pids: readonly number[],
  load: () => Promise<unknown>,
): Promise<void> {
  let share = 1;
  let passes = 0;
  while (share >= RESTED_SHARE && passes < PASSES_MAX) {
    const before = pids.map(timesOf);
    await load();
    share = shareOfV8(before, pids.map(timesOf));
    passes += 1;
  }
  const percent = (100 * share).toFixed(1);
  process.stdout.write(
    `${name}: ${String(passes)} passes, V8's threads had ${percent} % of the last\n`,
  );
}

/** The CPU time of the threads of a process that there are, the oldest first. */
function timesOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${String(pid)}/task`).map(Number);
  return threads
    .sort((a, b) => a - b)
    .map((thread) => {
      const text = readFileSync(`/proc/${String(pid)}/task/${String(thread)}/schedstat`, 'utf8');
      return Number(text.split(' ')[0]);
    });
}

/** Of what processes have used between two looks. */
function shareOfV8(before: readonly number[][], after: readonly number[][]): number {
  const sum = (times: readonly number[]): number => times.reduce((total, one) => total + one, 0);
  const used = (of: (times: readonly number[]) => number): number =>
    sum(after.map(of)) - sum(before.map(of));
  return used((times) => sum(times.slice(1, 1 + V8_THREADS))) / used(sum);
}

function passOf({ servers, workers }: Side): string[] {
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
    ...['-ops', String(OPERATIONS / servers), '-lists', String(LISTS / servers)],
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
    const perOperation = (of: (line: Line) => number): number =>
      sum((line) => of(line) * line.ops) / sum((line) => line.ops);
    return {
      ...one,
      ops_per_s: sum((line) => line.ops_per_s),
      p99_ms: Math.max(...lines.map((line) => line.p99_ms)),
      errors: sum((line) => line.errors),
      server_cpu_us_per_op: perOperation((line) => line.server_cpu_us_per_op),
      client_cpu_us_per_op: perOperation((line) => line.client_cpu_us_per_op),
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
  process.stdout.write(`${name}, ${String(CORES)} cores: PSS ${String(pss)}, RSS ${String(rss)}\n`);
}

function rolledUp(pid: number, field: string): number {
  const text = readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
}

function report({ name }: Side, lines: readonly Line[]): void {
  for (const line of lines) {
    const { server_cpu_us_per_op: server, client_cpu_us_per_op: client } = line;
    const ofPhase = costs.get(line.phase) ?? new Map<string, number[]>();
    costs.set(line.phase, ofPhase);
    ofPhase.set(name, [...(ofPhase.get(name) ?? []), server]);
    print(name, [
      line.phase,
      ...[String(line.ops_per_s), server.toFixed(1), client.toFixed(1)],
      ((CORES * US_PER_S) / (server + client)).toFixed(0),
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
