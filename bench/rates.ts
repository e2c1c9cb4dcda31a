/**
 * `npx tsx bench/rates.ts [SECONDS] [--only patches|leases|pods] [--alone]`: the writes of a large cluster by client-go, in
 * protobuf: pods that are patched at 1,000 and at 2,000 a second under ten watchers, as upstream's write throughput test
 * does, Leases of nodes as fast as it goes, and pods that are created, bound and given three statuses. Each is asked of
 * this server, of its workers where it has two, and of kube-apiserver with its etcd unless `--alone`.
 *
 * The client runs on the same cores: what it takes of them no server has. So a rate that is not reached says what both
 * can do together, and CPU per write what the server needs. Needs Go, and Linux.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTokenPeer } from '../e2e/media/peer.ts';
import { goProgram } from '../e2e/support/go-program.ts';
import { runArguments } from '../run-arguments.ts';
import { residentMibOf, startServer, stopServer, TOKEN } from './bench-server.ts';
import type { Loaded } from './load-generator.ts';

/** What the client prints, in the order of its columns. */
const COLUMNS = [
  ...['writes', 'writes_per_s', 'failed', 'p50_ms', 'p99_ms', 'server_cpu_us_per_write'],
  ...['events', 'lag_p50_ms', 'lag_p99_ms', 'ended'],
];
const MODES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  patches: [
    ['-mode', 'patches', '-rate', '1000'],
    ['-mode', 'patches', '-rate', '2000', '-in-flight', '8'],
  ],
  leases: [['-mode', 'leases', '-rate', '0', '-in-flight', '16']],
  pods: [['-mode', 'pods', '-rate', '1000', '-in-flight', '8']],
};
const WORKERS_READY_MS = 3_000;

interface RunningSide extends Loaded {
  stop(): Promise<unknown>;
}

const { values, positionals } = runArguments(import.meta.filename, {
  allowPositionals: true,
  options: { only: { type: 'string' }, alone: { type: 'boolean', default: false } },
});
const [seconds = '30'] = positionals;
const folder = mkdtempSync(join(tmpdir(), 'everwatch-rates-'));
const SIDES: Readonly<Record<string, () => Promise<RunningSide>>> = {
  'one process': () => ours([]),
  'two workers': () => ours(['--workers', '2']),
  ...(values.alone ? {} : { 'kube-apiserver': () => startTokenPeer([], { isDurable: true }) }),
};

try {
  const program = await goProgram('rate-load');
  row(['mode', 'rate', 'server', ...COLUMNS, 'MiB', 'load']);
  for (const [mode, runs] of Object.entries(MODES)) {
    if (values.only !== undefined && values.only !== mode) continue;
    // Of a server that a run has warmed and filled, the next one costs what it costs.
    for (const [name, start] of Object.entries(SIDES)) await measure(program, runs, name, start);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(
  program: string,
  runs: readonly (readonly string[])[],
  name: string,
  start: () => Promise<RunningSide>,
): Promise<void> {
  const { url, token, pids, stop } = await start();
  try {
    for (const run of runs) {
      const where = ['-server', url, '-token', token, '-pids', pids.join(',')];
      const args = [...where, '-seconds', seconds, ...run];
      const { stdout } = await promisify(execFile)(program, args);
      const told = JSON.parse(stdout) as Readonly<Record<string, number | undefined>>;
      const mib = pids.reduce((sum, pid) => sum + residentMibOf(pid), 0);
      row([
        ...[run[1] ?? '', run[3] ?? '', name],
        ...COLUMNS.map((column) => String(told[column] ?? '')),
        ...[mib.toFixed(0), loadavg()[0]?.toFixed(1) ?? ''],
      ]);
    }
  } finally {
    await stop();
  }
}

async function ours(flags: readonly string[]): Promise<RunningSide> {
  const directory = mkdtempSync(join(folder, 'ours-'));
  const server = await startServer(directory, ['--authorization-mode=RBAC', ...flags]);
  const pid = server.process.pid ?? 0;
  if (flags.length > 0) await new Promise((resolve) => setTimeout(resolve, WORKERS_READY_MS));
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  const pids = [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
  return { url: server.url, token: TOKEN, pids, stop: () => stopServer(server) };
}

function row(cells: readonly string[]): void {
  process.stdout.write(`${cells.join('\t')}\n`);
}
