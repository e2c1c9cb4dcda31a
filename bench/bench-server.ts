/** A server of the bench's own: the built one as a process, with a token that may do everything. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BenchServer {
  readonly process: ChildProcess;
  readonly url: string;
  /** From the start of the process until it serves. */
  readonly readyMs: number;
}

export const TOKEN = 'bench-token';

/** Linux counts a process's time in these. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MIB = 1_024;
const NANOSECONDS_PER_MICROSECOND = 1_000;

/**
 * @param directory where its data lie, and lay before if it is started again.
 * @param build the program; another than this tree's stands beside it.
 */
export async function startServer(
  directory: string,
  flags: readonly string[] = [],
  build = 'dist/everwatch.js',
): Promise<BenchServer> {
  const tokens = join(directory, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},bench,1,"system:masters"\n`);
  const from = process.hrtime.bigint();
  const child = spawn(
    process.execPath,
    [
      build,
      'serve',
      ...['--data-dir', join(directory, 'data')],
      ...['--secure-port', '0'],
      ...['--token-auth-file', tokens],
      ...flags,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => {
      reject(new Error(`the server ended with ${String(code)} before it was ready`));
    });
    child.stderr.on('data', (chunk: Buffer) => {
      const port = /"serving" port=(\d+)/.exec(chunk.toString())?.[1];
      if (port !== undefined) resolve(`https://127.0.0.1:${port}`);
    });
  });
  const readyMs = Number(process.hrtime.bigint() - from) / 1e6;
  return { process: child, url, readyMs };
}

/** Ends it as a signal of the operator does, and waits. */
export async function stopServer({ process: child }: BenchServer): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** What the process has used since it began, in seconds of CPU. */
export function cpuSeconds({ process: child }: BenchServer): number {
  const stat = readFileSync(`/proc/${String(child.pid)}/stat`, 'utf8');
  // The name stands in brackets and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same in microseconds and exactly, of the threads that there are: for what takes less than a second. */
export function cpuMicroseconds({ process: child }: BenchServer): number {
  return cpuMicrosecondsOf(child.pid ?? 0);
}

/** The same of any process. */
export function cpuMicrosecondsOf(pid: number): number {
  const tasks = `/proc/${String(pid)}/task`;
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / NANOSECONDS_PER_MICROSECOND;
}

/** What it holds in memory, in MiB. */
export function residentMib({ process: child }: BenchServer): number {
  return residentMibOf(child.pid ?? 0);
}

/** The same of any process. */
export function residentMibOf(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / KIB_PER_MIB;
}
