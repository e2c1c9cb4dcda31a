/**
 * Where stand-ins for kube-apiserver and the process that has their control planes meet: a Unix socket in a
 * directory that only this user can enter. There is one for each build, release of Node, and environment that a
 * server goes by, so what is found there is of the same version and would do the same.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError, systemProblem } from '../../../process/startup-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that says whether suites share a process: `shared`. */
export const SHARING_VARIABLE = 'EVERWATCH_ENVTEST';
/** After how many seconds without a control plane the process ends. */
export const IDLE_VARIABLE = 'EVERWATCH_ENVTEST_IDLE_SECONDS';

export interface MeetingPlace {
  readonly directory: string;
  readonly socket: string;
  /** What the process says of itself. */
  readonly log: string;
}

/** Of the environment, what a server or its Node goes by. */
const GONE_BY = [
  ...[IDLE_VARIABLE, 'EVERWATCH_CLOCK_OFFSET_MS', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'],
  ...['SSL_CERT_DIR', 'SSL_CERT_FILE', 'TZ', 'LD_LIBRARY_PATH', 'LD_PRELOAD'],
] as const;

const ONLY_OWNER = 0o700;
const OTHERS = 0o077;
const HASH_LENGTH = 16;
/** What fits into the address of a socket everywhere. */
const SOCKET_BYTES_MAX = 103;

/** @throws StartupError where the variable has another value than `shared`. */
export function isShared(environment: Environment): boolean {
  const said = environment[SHARING_VARIABLE] ?? '';
  if (said === '' || said === 'shared') return said !== '';
  throw new StartupError(
    `${SHARING_VARIABLE} must be shared or empty, not ${JSON.stringify(said)}`,
  );
}

/**
 * Makes the directory where it is not there.
 *
 * @param dist of the built server.
 * @throws StartupError where the directory could be another user's, or cannot be made.
 */
export function meetingPlace(environment: Environment, dist: string): MeetingPlace {
  const parent = environment['XDG_RUNTIME_DIR'] ?? '';
  const name = `everwatch-envtest-${identityOf(environment, dist)}`;
  const directory = join(parent === '' ? tmpdir() : parent, name);
  const socket = join(directory, 'planes');
  if (Buffer.byteLength(socket) > SOCKET_BYTES_MAX) {
    throw new StartupError(`${socket} is too long for a socket: set XDG_RUNTIME_DIR or TMPDIR`);
  }
  makePrivate(directory);
  return { directory, socket, log: join(directory, 'log') };
}

function identityOf(environment: Environment, dist: string): string {
  const { size, mtimeMs } = statSync(join(dist, 'program.cjs'));
  const build = [process.execPath, process.version, dist, size, mtimeMs, process.getuid?.()];
  const variables = GONE_BY.map((name) => environment[name] ?? null);
  const whole = JSON.stringify([build, variables]);
  return createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH);
}

/** A directory for temporary files is open to all, so another user may have made it first. */
function makePrivate(directory: string): void {
  try {
    mkdirSync(directory, { mode: ONLY_OWNER });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) {
      throw new StartupError(`cannot make ${directory}: ${systemProblem(cause)}`, { cause });
    }
  }
  const found = lstatSync(directory);
  const isOurs = process.getuid === undefined || found.uid === process.getuid();
  if (found.isDirectory() && isOurs && (found.mode & OTHERS) === 0) return;
  throw new StartupError(`${directory} is not a directory that only this user can enter`);
}
