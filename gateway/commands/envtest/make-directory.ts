/**
 * Makes the directory for KUBEBUILDER_ASSETS. Test binaries of many packages run at once, and each may
 * have asked for it, so each file appears whole and a file that is right is left alone.
 */
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { buildOf, MEETING_FILE } from './shared/meeting-place.ts';
import {
  etcdProgram,
  kubeApiserverProgram,
  missingKubectlProgram,
  type Runs,
  snapshotProgram,
} from './program-texts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const EXECUTABLE = 0o755;
const HASH_LENGTH = 12;

/** What the directory is made of. */
export interface DirectoryParts {
  readonly runs: Runs;
  readonly help: string;
  /** Absolute path of a real kubectl; undefined: there is none. */
  readonly kubectl: string | undefined;
}

/**
 * Where the directory is unless the user says otherwise: in the cache of the user, one for each
 * installation, so that two of them do not write over each other.
 */
export function directoryByDefault(
  { node, dist }: Pick<Runs, 'node' | 'dist'>,
  environment: Environment,
): string {
  const hash = createHash('sha256').update(`${node}\0${dist}`).digest('hex');
  return join(cacheOf(environment), `envtest-${hash.slice(0, HASH_LENGTH)}`);
}

/** Of the user, for this program. */
export function cacheOf(environment: Environment): string {
  const cache = environment['XDG_CACHE_HOME'] ?? '';
  return join(cache === '' ? join(homedir(), '.cache') : cache, 'everwatch');
}

/** @throws StartupError where it cannot be written. */
export function makeDirectory(directory: string, { runs, help, kubectl }: DirectoryParts): void {
  try {
    mkdirSync(directory, { recursive: true });
    write(join(directory, 'kube-apiserver'), kubeApiserverProgram(runs, help));
    write(join(directory, 'etcd'), etcdProgram(runs));
    for (const name of ['etcdctl', 'etcdutl']) write(join(directory, name), snapshotProgram(runs));
    write(join(directory, MEETING_FILE), `${JSON.stringify(buildOf(runs.dist))}\n`);
    const place = join(directory, 'kubectl');
    if (kubectl === undefined) write(place, missingKubectlProgram(directory));
    else link(place, kubectl);
  } catch (cause) {
    const what = `cannot write ${directory}: ${systemProblem(cause)}`;
    throw new StartupError(what, { cause });
  }
}

/** The first on the PATH that does not lie in `directory`. */
export function kubectlOn({ PATH = '' }: Environment, directory: string): string | undefined {
  const places = PATH.split(delimiter).filter((one) => one !== '' && one !== directory);
  return places.map((one) => join(one, 'kubectl')).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function write(path: string, text: string): void {
  if (isAlready(() => readFileSync(path, 'utf8'), text)) return;
  const beside = `${path}.${String(process.pid)}`;
  writeFileSync(beside, text, { mode: EXECUTABLE });
  renameSync(beside, path);
}

function link(path: string, target: string): void {
  if (isAlready(() => readlinkSync(path), target)) return;
  const beside = `${path}.${String(process.pid)}`;
  symlinkSync(target, beside);
  renameSync(beside, path);
}

function isAlready(read: () => string, wanted: string): boolean {
  try {
    return read() === wanted;
  } catch {
    return false;
  }
}
