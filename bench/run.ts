/**
 * `npm run bench`: starts a server of its own, loads it and prints what an operation cost in CPU,
 * beside what it may cost. Needs Go, for the load generator in bench/kubebench.
 *
 * CPU per operation is the steady figure; wall time on shared cores is not. What stands behind `--` goes
 * to the server: `npm run bench -- --log kafka://127.0.0.1:9092/bench`. Behind `--beside` see beside.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runArguments } from '../run-arguments.ts';
import { startServer, stopServer, TOKEN } from './bench-server.ts';
import { compare } from './beside.ts';
import { type Line, LoadGenerator } from './load-generator.ts';

/** CPU microseconds per operation. */
const BUDGETS: Readonly<Record<string, number>> = {
  create: 250,
  update: 220,
  get: 80,
  list: 36_000,
  'list-consistent': 36_000,
  'list-label': 4_000,
  page: 3_000,
  watch: 8,
};

const SIZE = ['-n', '10000', '-c', '32'];

const RUNS: readonly (readonly string[])[] = [
  ['-phases', 'create,get,update,list,page', '-lists', '40'],
  ['-phases', 'watch', '-watchers', '100', '-events', '2000', '-rate', '200'],
  ['-phases', 'watch', '-watchers', '100', '-events', '2000', '-rate', '600'],
  ['-phases', 'watch', '-watchers', '1000', '-events', '400', '-rate', '20'],
  ['-phases', 'watch', '-watchers', '100', '-events', '20000'],
];

runArguments(import.meta.filename, { strict: false });
const args = process.argv.slice(2);
if (args[0] === '--beside') await compare(args.slice(1));
else await measure(args);

async function measure(flags: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
  const server = await startServer(directory, flags);
  process.stdout.write(`first start to ready: ${server.readyMs.toFixed(0)} ms\n`);
  process.stdout.write(
    `this machine now: ${roundTripUs().toFixed(1)} µs for one object's JSON, there and back\n`,
  );
  try {
    const generator = new LoadGenerator(directory);
    const loaded = { url: server.url, token: TOKEN, pids: [server.process.pid ?? 0] };
    print(['phase', 'CPU µs/op', 'budget', 'ops/s', 'p50 ms', 'p99 ms', 'errors', 'RSS MiB']);
    for (const run of RUNS) {
      for (const line of await generator.load(loaded, [...SIZE, ...run])) report(line);
    }
  } finally {
    await stopServer(server);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What figures of other days and machines can be held against: the fastest of some rounds. */
function roundTripUs(): number {
  const labels = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`label-${String(n)}`, 'x']),
  );
  const text = JSON.stringify({ metadata: { labels }, data: { payload: 'x'.repeat(1_024) } });
  const times = Array.from({ length: 20 }, () => {
    const from = process.hrtime.bigint();
    for (let n = 0; n < 1_000; n += 1) JSON.stringify(JSON.parse(text));
    return Number(process.hrtime.bigint() - from) / 1e6;
  });
  return Math.min(...times);
}

function report(line: Line): void {
  const { phase, watchers, writes_per_s: writes } = line;
  const name =
    watchers === undefined
      ? phase
      : `${phase}, ${String(watchers)} watchers, ${String(writes)} writes/s`;
  print([
    name,
    String(line.server_cpu_us_per_op),
    String(BUDGETS[phase] ?? ''),
    String(line.ops_per_s),
    line.p50_ms.toFixed(1),
    line.p99_ms.toFixed(1),
    String(line.errors),
    String(line.rss_mib),
  ]);
}

function print([name = '', ...cells]: readonly string[]): void {
  process.stdout.write(`${name.padEnd(38)}${cells.map((cell) => cell.padStart(11)).join('')}\n`);
}
