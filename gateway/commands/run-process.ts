/** Runs a command line as this process: its output is the process's, and its exit code too. */
import cluster from 'node:cluster';
import type { ServeOptions } from '../flags/serve-settings.ts';
import { runCommandLine } from './command-line.ts';

/** @param calledAs the name of the file by which the program was called. */
export async function runProcess(argv: readonly string[], calledAs: string): Promise<void> {
  // The reader of the output may close it early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const code = await runCommandLine(argv, {
    serve: serveByProcesses,
    verify: async (options) => (await import('./verify/verify.ts')).verify(options),
    calledAs,
    print: (text) => void process.stdout.write(text),
    printError: (text) => void process.stderr.write(text),
  });
  // A server goes on running after its start; what went wrong must not, whatever it left open.
  if (code !== 0) process.exit(code);
}

/** One process is a whole server; of several one owns the log, and the others are started by it. */
async function serveByProcesses(options: ServeOptions): Promise<void> {
  if (options.lifecycle.workers === 1) {
    await (await import('./serve/serve.ts')).serve(options);
    return;
  }
  if (cluster.isWorker) {
    return (await import('./serve/workers/worker.ts')).serveAsWorker(options);
  }
  return (await import('./serve/workers/primary.ts')).servePrimary(options);
}
