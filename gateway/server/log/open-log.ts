/**
 * Opens the log that a server works on: the one in its data directory, or a Kafka topic of which
 * the data directory keeps a copy.
 */
import { join } from 'node:path';
import {
  DataDirectoryVersionError,
  openDataDirectory,
  type DataDirectory,
} from '../../../streams/embedded/data-directory.ts';
import { DataDirectoryInUseError } from '../../../streams/embedded/directory-lock.ts';
import { EmbeddedEventLog } from '../../../streams/embedded/embedded-event-log.ts';
import type { EventLog } from '../../../streams/event-log.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import type { TrimmableLog } from '../../../streams/trimmable-log.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';

/** As it is built beside the program. */
const HEADS_THREAD = join(import.meta.dirname, 'heads-thread.cjs');

export interface OpenLog {
  /** Embedded or on Kafka. */
  readonly log: EventLog & TrimmableLog;
  /** Locked for this process. */
  readonly directory: DataDirectory;
  /** Whether other servers append to it too: then only the log itself knows what "now" is. */
  readonly hasOtherWriters: boolean;
  /** Of a worker: what it has of the processes beside it. undefined: the process is the whole server. */
  readonly beside?: WorkersBeside;
  /** Finishes what is under way, then lets go of the directory. */
  close(): Promise<void>;
}

/** What a process that is a worker of a server has to know of the others. */
export interface WorkersBeside {
  /** Whether it is this one that does for all what need be done once, as cutting the log. */
  readonly isFirst: boolean;
  /**
   * The last version that is in the log at this moment.
   *
   * @throws {LogUnavailableError} the log cannot be read any more.
   */
  end(): ResourceVersion;
  /** Tells from now on when the log was cut by another. */
  whenCut(listener: () => void): void;
}

/** The log in the directory itself. @throws StartupError when the directory cannot be had. */
export async function openEmbeddedLog(
  dataDir: string,
  how: { readonly isSynced?: boolean } = {},
): Promise<OpenLog> {
  const directory = await openDirectory(dataDir, how);
  if (directory.engine() === 'kafka') {
    await directory.release();
    throw new StartupError(
      `${dataDir} belongs to a server whose log is in Kafka: give its --log kafka://…, or choose another directory`,
    );
  }
  const log = new EmbeddedEventLog(directory.logPath, {
    isSynced: directory.isSynced,
    headsAhead: { program: HEADS_THREAD },
  });
  return {
    log,
    directory,
    hasOtherWriters: false,
    async close() {
      await log.close();
      await directory.release();
    },
  };
}

/** @throws StartupError when the directory cannot be had. */
export async function openDirectory(
  dataDir: string,
  how: { readonly isSynced?: boolean } = {},
): Promise<DataDirectory> {
  try {
    return await openDataDirectory(dataDir, how);
  } catch (error) {
    const isOurs =
      error instanceof DataDirectoryInUseError || error instanceof DataDirectoryVersionError;
    const message = isOurs ? error.message : `--data-dir ${dataDir}: ${systemProblem(error)}`;
    throw new StartupError(message, { cause: error });
  }
}
