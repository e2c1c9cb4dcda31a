/** Makes the views over an open log, ready to be folded: everything below the actors. */
import { rm } from 'node:fs/promises';
import type { Clock } from '../../../api/meta/clock.ts';
import { AppliedVersion } from '../../../projections/fold/applied-version.ts';
import { FollowedObjects } from '../../../projections/followed-objects.ts';
import type { ObjectStore } from '../../../projections/objects/object-history.ts';
import { LmdbObjectStore } from '../../../projections/objects/object-store.ts';
import { ObjectView } from '../../../projections/objects/object-view.ts';
import { ResourceViews } from '../../../projections/resource-views.ts';
import { Projector } from '../../../projections/projector.ts';
import type { EventLog } from '../../../streams/event-log.ts';
import type { OpenLog } from '../log/open-log.ts';

export interface OpenViews {
  readonly log: EventLog;
  /** See OpenLog. */
  readonly hasOtherWriters: boolean;
  readonly objects: ObjectView;
  readonly applied: AppliedVersion;
  readonly store: ObjectStore;
  readonly resourceViews: ResourceViews;
  readonly followed: FollowedObjects;
  readonly projector: Projector;
  /** Writes everything to disk and lets go of the log. */
  close(): Promise<void>;
}

export async function openViews(opened: OpenLog, clock: Clock): Promise<OpenViews> {
  const { log, directory, hasOtherWriters } = opened;
  const store = await openStore(directory.storePath, log, clock);
  const views = viewsOver({ log, store, objects: new ObjectView() }, clock);
  return {
    ...views,
    hasOtherWriters,
    async close() {
      await views.projector.stop();
      await opened.close();
    },
  };
}

type Folded = Pick<OpenViews, 'log' | 'store' | 'objects'>;
type Views = Folded & Pick<OpenViews, 'applied' | 'resourceViews' | 'followed' | 'projector'>;

/** What the log is folded into, and who folds it. */
export function viewsOver({ log, store, objects }: Folded, clock: Clock): Views {
  const applied = new AppliedVersion(clock);
  const resourceViews = new ResourceViews({ log, history: store, objects, applied, clock });
  const followed = new FollowedObjects(objects);
  const views = [resourceViews, followed];
  const projector = new Projector({ log, store, objects, applied, views });
  return { log, store, objects, applied, resourceViews, followed, projector };
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
