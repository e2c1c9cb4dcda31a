/**
 * `npx tsx bench/workers.ts`: the same load on a server of one process and on servers of several, by turns:
 * operations per second, CPU per operation of all processes together, and the memory that they have, of which
 * `PSS` counts what processes share once. Needs Go, and Linux.
 *
 * The load generator runs on the same cores. What of a core it takes no worker has, so on few cores the CPU
 * per operation and the cores that were busy say more than the operations per second.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchServer, startServer, stopServer, TOKEN } from './bench-server.ts';
import { type Line, LoadGenerator } from './load-generator.ts';

const [rounds = '2', objects = '4000', ...counts] = process.argv.slice(2);
const WORKERS = counts.length === 0 ? ['1', '2'] : counts;
const SIZE = ['-n', objects, '-c', '32', '-conns', '8'];
const RUNS: readonly (readonly string[])[] = [
  ['-phases', 'create,get,update,list,page', '-lists', '20'],
  ['-phases', 'watch', '-watchers', '100', '-events', '1000', '-rate', '200'],
];

const LOOK_MS = 50;
/** The last worker folds an empty log meanwhile. */
const READY_MS = 2_000;
const KIB_PER_MIB = 1_024;
const US_PER_S = 1e6;

const directory = mkdtempSync(join(tmpdir(), 'everwatch-workers-'));
try {
  const generator = new LoadGenerator(directory);
  print(['workers', 'phase', 'ops/s', 'CPU µs/op', 'busy cores', 'p99 ms', 'errors', 'load']);
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const count of WORKERS) await measure(generator, count, `${String(round)}-${count}`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measure(generator: LoadGenerator, count: string, name: string): Promise<void> {
  const folder = join(directory, name);
  mkdirSync(folder);
  const server = await startServer(folder, ['--workers', count]);
  try {
    const pids = await processesOf(server, Number(count));
    const loaded = { url: server.url, token: TOKEN, pids };
    for (const run of RUNS) {
      for (const line of await generator.load(loaded, [...SIZE, ...run])) report(count, line);
    }
    const [pss, rss] = ['Pss', 'Rss'].map((field) => {
      return pids.reduce((sum, pid) => sum + rolledUp(pid, field), 0) / KIB_PER_MIB;
    });
    const cores = String(availableParallelism());
    process.stdout.write(
      `${count} workers, ${cores} cores: PSS ${(pss ?? 0).toFixed(0)} MiB, RSS ${(rss ?? 0).toFixed(0)} MiB\n`,
    );
  } finally {
    await stopServer(server);
  }
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

function rolledUp(pid: number, field: string): number {
  const text = readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
}

function report(count: string, line: Line): void {
  const cores = (line.server_cpu_us_per_op * line.ops_per_s) / US_PER_S;
  print([
    count,
    line.phase,
    String(line.ops_per_s),
    String(line.server_cpu_us_per_op),
    cores.toFixed(2),
    line.p99_ms.toFixed(1),
    String(line.errors),
    (loadavg()[0] ?? 0).toFixed(1),
  ]);
}

function print([workers = '', phase = '', ...cells]: readonly string[]): void {
  const row = cells.map((cell) => cell.padStart(12)).join('');
  process.stdout.write(`${workers.padEnd(9)}${phase.padEnd(18)}${row}\n`);
}
