/**
 * Where the process begins that has the control planes of suites: `envtest-shared.js DIRECTORY`. It takes the lock of the
 * directory before it loads the server, so that of several that are started in one moment all but one end at once.
 */
import { createServer } from 'node:net';
import {
  DataDirectoryInUseError,
  lockDirectory,
} from '../../../../streams/embedded/directory-lock.ts';
import { loadProgram } from '../../load-program.ts';
import { listenAt } from './listen-at.ts';
import { IDLE_VARIABLE, socketIn } from './meeting-place.ts';
import { IS_TAKEN } from './stand-in.ts';

const IDLE_SECONDS = 60;

const [directory = ''] = process.argv.slice(2);
const isOurs = await lockDirectory(directory).then(
  () => true,
  (error: unknown) => {
    if (error instanceof DataDirectoryInUseError) return false;
    throw error;
  },
);
if (!isOurs) process.exit(IS_TAKEN);
const said = Number(process.env[IDLE_VARIABLE] ?? '');
const idleSeconds = said > 0 ? said : IDLE_SECONDS;
const server = createServer();
await loadProgram(import.meta.dirname).servePlanes({
  server,
  idleMs: idleSeconds * 1_000,
  directory,
});
await listenAt(server, socketIn(directory));
