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

/** The variable that says in which process a control plane is: {@link Sharing}. */
export const SHARING_VARIABLE = 'EVERWATCH_ENVTEST';
/** After how many seconds without a control plane the process ends. */
export const IDLE_VARIABLE = 'EVERWATCH_ENVTEST_IDLE_SECONDS';

export interface MeetingPlace {
  /** Of this user alone. */
  readonly directory: string;
  /** The path of a Unix socket in it. */
  readonly socket: string;
  /** What the process says of itself. */
  readonly log: string;
}

/** Of the environment, what a server or its Node goes by. */
const GONE_BY = [
  ...[IDLE_VARIABLE, 'EVERWATCH_CLOCK_OFFSET_MS', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'],
  ...['SSL_CERT_DIR', 'SSL_CERT_FILE', 'TZ', 'LD_LIBRARY_PATH', 'LD_PRELOAD'],
] as const;

/** In the directory of `everwatch envtest`: JSON of {@link Build}, by which a suite finds the process without starting Node. */
export const MEETING_FILE = 'meeting.json';

/** What of a build decides where it is met, beside the environment. */
export interface Build {
  /** Absolute path of Node, and its release. */
  readonly node: string;
  readonly version: string;
  /** Absolute path of the built program, whose size and time count. */
  readonly program: string;
  /** The variables that count. */
  readonly variables: readonly string[];
}

/** @param dist of the built server. */
export function buildOf(dist: string): Build {
  return {
    node: process.execPath,
    version: process.version,
    program: join(dist, 'program.cjs'),
    variables: GONE_BY,
  };
}

const ONLY_OWNER = 0o700;
const OTHERS = 0o077;
const HASH_LENGTH = 16;
/** What fits into the address of a socket everywhere. */
const SOCKET_BYTES_MAX = 103;

/**
 * Which process has a control plane: one that all suites share, its own, or, where nothing is said, that of
 * the etcd beside it.
 */
export type Sharing = 'shared' | 'alone' | 'etcd';

/** @throws StartupError where the variable has a value that means nothing. */
export function sharingIn(environment: Environment): Sharing {
  const said = environment[SHARING_VARIABLE] ?? '';
  if (said === '') return 'etcd';
  if (said === 'shared' || said === 'alone') return said;
  throw new StartupError(
    `${SHARING_VARIABLE} must be shared, alone or empty, not ${JSON.stringify(said)}`,
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
  return placeIn(join(parent === '' ? tmpdir() : parent, name));
}

/**
 * Where the etcd of a suite is met by the kube-apiserver beside it.
 *
 * @param dataDirectory as that etcd tells it.
 * @throws StartupError as {@link meetingPlace}.
 */
export function placeOfEtcd(
  dataDirectory: string,
  environment: Environment,
  dist: string,
): MeetingPlace {
  return placeIn(join(dataDirectory, `planes-${identityOf(environment, dist)}`));
}

/** Of a directory of {@link meetingPlace}. */
export function socketIn(directory: string): string {
  return join(directory, 'planes');
}

function placeIn(directory: string): MeetingPlace {
  const socket = socketIn(directory);
  if (Buffer.byteLength(socket) > SOCKET_BYTES_MAX) {
    throw new StartupError(`${socket} is too long for a socket: set XDG_RUNTIME_DIR or TMPDIR`);
  }
  makePrivate(directory);
  return { directory, socket, log: join(directory, 'log') };
}

/** As everwatchtest makes it, too, from the file of {@link MEETING_FILE}: lines of text. */
function identityOf(environment: Environment, dist: string): string {
  const program = join(dist, 'program.cjs');
  const { size, mtimeMs } = statSync(program);
  const numbers = [size, Math.floor(mtimeMs), process.getuid?.() ?? -1].map(String);
  const build = [process.execPath, process.version, program, ...numbers];
  const variables = GONE_BY.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  const whole = [...build, ...variables].map((line) => `${line}\n`);
  return createHash('sha256').update(whole.join('')).digest('hex').slice(0, HASH_LENGTH);
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
