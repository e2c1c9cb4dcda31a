/**
 * Opens a data directory and makes the views over its log, ready to be folded: everything below
 * the actors.
 */
import { rm } from 'node:fs/promises';
import type { Clock } from '../../api/meta/clock.ts';
import { AppliedVersion } from '../../projections/applied-version.ts';
import { LmdbObjectStore } from '../../projections/objects/object-store.ts';
import { ObjectView } from '../../projections/objects/object-view.ts';
import { Gallery } from '../../projections/projected-resource.ts';
import { Projector } from '../../projections/projector.ts';
import {
  DataDirectoryVersionError,
  openDataDirectory,
  type DataDirectory,
} from '../../streams/embedded/data-directory.ts';
import { DataDirectoryInUseError } from '../../streams/embedded/directory-lock.ts';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import type { EventLog } from '../../streams/event-log.ts';
import { StartupError, systemProblem } from './startup-error.ts';

export interface OpenGallery {
  readonly directory: DataDirectory;
  readonly log: EventLog;
  readonly objects: ObjectView;
  readonly applied: AppliedVersion;
  readonly store: LmdbObjectStore;
  readonly gallery: Gallery;
  readonly projector: Projector;
  /** Writes everything to disk and lets go of the directory. */
  close(): Promise<void>;
}

/** @throws StartupError when the directory cannot be had. */
export async function openGallery(dataDir: string, clock: Clock): Promise<OpenGallery> {
  const directory = await openDirectory(dataDir);
  const log = new EmbeddedEventLog(directory.logPath);
  const store = await openStore(directory, log, clock);
  const objects = new ObjectView();
  const applied = new AppliedVersion(clock);
  const gallery = new Gallery({ log, history: store, objects, applied, clock });
  const projector = new Projector({ log, store, objects, applied, views: [gallery] });
  return {
    directory,
    log,
    objects,
    applied,
    store,
    gallery,
    projector,
    async close() {
      await projector.stop();
      await log.close();
      await directory.release();
    },
  };
}

/**
 * The store, if it is one of this log: a log that was put back from a backup is behind what its
 * store remembers, and then the store is folded anew.
 */
async function openStore(
  { storePath }: DataDirectory,
  log: EventLog,
  clock: Clock,
): Promise<LmdbObjectStore> {
  const store = new LmdbObjectStore(storePath, clock);
  if (store.appliedVersion <= (await log.newest(0))) return store;
  await store.close();
  await rm(storePath, { recursive: true, force: true });
  return new LmdbObjectStore(storePath, clock);
}

async function openDirectory(dataDir: string): Promise<DataDirectory> {
  try {
    return await openDataDirectory(dataDir);
  } catch (error) {
    const isOurs =
      error instanceof DataDirectoryInUseError || error instanceof DataDirectoryVersionError;
    const message = isOurs ? error.message : `--data-dir ${dataDir}: ${systemProblem(error)}`;
    throw new StartupError(message, { cause: error });
  }
}
