/** Where the process begins. */
import { basename } from 'node:path';

import { runCommandLine } from './command-line.ts';

// The reader of the output may close it early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const code = await runCommandLine(process.argv.slice(2), {
  serve: async (options) => (await import('./serve/serve.ts')).serve(options),
  verify: async (options) => (await import('./verify/verify.ts')).verify(options),
  calledAs: basename(process.argv[1] ?? ''),
  print: (text) => void process.stdout.write(text),
  printError: (text) => void process.stderr.write(text),
});

// A server goes on running after its start; what went wrong must not, whatever it left open.
if (code !== 0) process.exit(code);
