/** Makes the views over an open log, ready to be folded: everything below the actors. */
import { rm } from 'node:fs/promises';
import type { Clock } from '../../../api/meta/clock.ts';
import type { ObjectStore } from '../../../projections/objects/object-history.ts';
import { LmdbObjectStore } from '../../../projections/objects/object-store.ts';
import { ObjectView } from '../../../projections/objects/object-view.ts';
import { viewsOver, type Views } from '../../../projections/views.ts';
import type { EventLog } from '../../../streams/event-log.ts';
import type { OpenLog } from '../log/open-log.ts';

export interface OpenViews extends Views<EventLog> {
  /** See OpenLog. */
  readonly hasOtherWriters: boolean;
  /** Writes everything to disk and lets go of the log. */
  close(): Promise<void>;
}

export async function openViews(opened: OpenLog, clock: Clock): Promise<OpenViews> {
  const { log, directory } = opened;
  return viewsOf(opened, await openStore(directory.storePath, log, clock), clock);
}

/** The same over a store that is open already. */
export function viewsOf(
  opened: Pick<OpenViews, 'log' | 'hasOtherWriters'> & Pick<OpenLog, 'close'>,
  store: ObjectStore,
  clock: Clock,
): OpenViews {
  const { log, hasOtherWriters } = opened;
  const views = viewsOver<EventLog>({ log, store, objects: new ObjectView() }, clock);
  return {
    ...views,
    hasOtherWriters,
    async close() {
      await views.projector.stop();
      await opened.close();
    },
  };
}

const NEWEST_TIMEOUT_MS = 30_000;

/**
 * The store, if it can go on with this log. A log that was put back from a backup is behind what its
 * store remembers; a store that was put back may lack what was cut from the log since. Then the
 * store is folded anew.
 */
export async function openStore(
  path: string,
  log: EventLog,
  clock: Clock,
): Promise<LmdbObjectStore> {
  const store = new LmdbObjectStore(path, clock);
  const { appliedVersion } = store;
  const isWhole = appliedVersion === 0 || appliedVersion >= log.cuts().settled;
  if (isWhole && appliedVersion <= (await log.newest(NEWEST_TIMEOUT_MS))) return store;
  await store.close();
  await rm(path, { recursive: true, force: true });
  return new LmdbObjectStore(path, clock);
}
