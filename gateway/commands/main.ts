/** Where the process begins. */
import { basename } from 'node:path';

import { loadProgram } from './load-program.ts';

const { runProcess } = loadProgram(import.meta.dirname);
await runProcess(process.argv.slice(2), basename(process.argv[1] ?? ''));
