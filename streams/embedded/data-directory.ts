/**
 * The directory of a control plane: which process holds it, and in which format it is.
 *
 *     <path>/version   the format, so that another version of the program does no harm
 *     <path>/log/      the event log
 *     <path>/topic/    of a server whose log is in Kafka: its copy of the topic, instead of a log
 *     <path>/store/    what can be rebuilt from the log
 *     <path>/lock.N    see directory-lock.ts
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { lockDirectory } from './directory-lock.ts';

export interface DataDirectory {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** The file of the embedded log. */
  readonly logPath: string;
  /** The directory of the local copy of a Kafka topic. */
  readonly topicPath: string;
  /** The file of the object store, which can be folded again. */
  readonly storePath: string;
  /** Whether what is written here outlives a power cut; it outlives the process in any case. */
  readonly isSynced: boolean;
  /** Where the log is that this directory was made for; undefined when there is none yet. */
  engine(): 'embedded' | 'kafka' | undefined;
  /** Lets another process have it. Close what lies in it first. Safe to call twice. */
  release(): Promise<void>;
}

/** The directory is not one of this program, or of another version of it. Nothing was changed. */
export class DataDirectoryVersionError extends Error {
  override readonly name = 'DataDirectoryVersionError';
}

const FORMAT = 'everwatch-1';
/** The objects in there include Secrets. */
const ONLY_OWNER = 0o700;

/**
 * Opens the directory for this process alone, and makes it when it is not there.
 * The hold ends with the process, however that ends.
 *
 * @throws {DataDirectoryInUseError} another process has it; nothing was changed.
 * @throws {DataDirectoryVersionError} it is in another format; nothing was changed.
 */
export async function openDataDirectory(
  path: string,
  { isSynced = true }: { readonly isSynced?: boolean } = {},
): Promise<DataDirectory> {
  mkdirSync(path, { recursive: true, mode: ONLY_OWNER });
  const realPath = realpathSync(resolve(path));
  const lock = await lockDirectory(realPath);
  const directory = {
    path: realPath,
    logPath: join(realPath, 'log'),
    topicPath: join(realPath, 'topic'),
    storePath: join(realPath, 'store'),
    isSynced,
    engine: () => engineOf(realPath),
    release: () => lock.release(),
  };
  try {
    checkFormat(directory);
    mkdirSync(directory.logPath, { recursive: true, mode: ONLY_OWNER });
    mkdirSync(directory.storePath, { recursive: true, mode: ONLY_OWNER });
  } catch (error) {
    await lock.release();
    throw error;
  }
  return directory;
}

function engineOf(path: string): 'embedded' | 'kafka' | undefined {
  if (existsSync(join(path, 'topic'))) return 'kafka';
  return existsSync(join(path, 'log', 'data.mdb')) ? 'embedded' : undefined;
}

function checkFormat(directory: DataDirectory): void {
  const versionPath = join(directory.path, 'version');
  if (existsSync(versionPath)) {
    const found = readFileSync(versionPath, 'utf8').trim();
    if (found === FORMAT) return;
    throw new DataDirectoryVersionError(
      `${directory.path} is in the format ${JSON.stringify(found)}, and this program reads ` +
        `${FORMAT} only: start the version that wrote it, or choose another directory`,
    );
  }
  // The version is written before the log is made, so it cannot be missing beside one.
  if (existsSync(directory.logPath) || existsSync(directory.storePath)) {
    throw new DataDirectoryVersionError(
      `${directory.path} has a log or a store, but no file named version: ` +
        `it was not made by this program, or was copied in part; choose another directory`,
    );
  }
  write(directory, versionPath, `${FORMAT}\n`);
}

/** After a power cut the file is there whole, or not at all, where the directory is synced. */
function write(directory: DataDirectory, path: string, text: string): void {
  const newPath = `${path}.new`;
  writeFileSync(newPath, text, { mode: 0o600, flush: directory.isSynced });
  renameSync(newPath, path);
  if (!directory.isSynced) return;
  const entry = openSync(directory.path, 'r');
  try {
    fsyncSync(entry);
  } finally {
    closeSync(entry);
  }
}
