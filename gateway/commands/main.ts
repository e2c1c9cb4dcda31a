/** Where the process begins. */
import { basename } from 'node:path';

import { runProcess } from './run-process.ts';

await runProcess(process.argv.slice(2), basename(process.argv[1] ?? ''));
