/**
 * The views of a log: all that its events are folded into, and the projector that folds them. Servers,
 * forks and tests get their views here, so that a view that is added is a view of all of them.
 */
import type { Clock } from '../api/meta/clock.ts';
import type { EventReader } from '../streams/event-log.ts';
import { AppliedVersion } from './fold/applied-version.ts';
import type { Projection } from './fold/projection.ts';
import { FollowedObjects } from './followed-objects.ts';
import type { ObjectStore } from './store/object-history.ts';
import type { ObjectView } from './objects/object-view.ts';
import { Projector, type ProjectorParts } from './projector.ts';
import { ResourceViews } from './resource-views.ts';

/** A log, and the two views that the fold itself reads: which versions there were, and what there is now. */
export interface FoldedLog<Log extends EventReader> {
  /** The one truth; the views are folded from it. */
  readonly log: Log;
  /** The history on disk. */
  readonly store: ObjectStore;
  /** What there is now, in memory. */
  readonly objects: ObjectView;
}

export interface Views<Log extends EventReader> extends FoldedLog<Log> {
  /** How far the fold has come. */
  readonly applied: AppliedVersion;
  /** What lists and watches are answered from. */
  readonly resourceViews: ResourceViews;
  /** For indexes that are built when they are first asked. */
  readonly followed: FollowedObjects;
  /** Has not been started. */
  readonly projector: Projector;
}

/** What of views differs from server to server. */
export interface ViewsOptions extends Pick<ProjectorParts, 'warmBytesMax' | 'farBehind'> {
  /** Views behind those that every log has. */
  readonly more?: readonly Projection[];
}

/** Nothing is folded yet. */
export function viewsOver<Log extends EventReader>(
  { log, store, objects }: FoldedLog<Log>,
  clock: Clock,
  { more = [], ...options }: ViewsOptions = {},
): Views<Log> {
  const applied = new AppliedVersion(clock);
  const resourceViews = new ResourceViews({ log, history: store, objects, applied, clock });
  const followed = new FollowedObjects(objects);
  const views = [resourceViews, followed, ...more];
  const projector = new Projector({ log, store, objects, applied, views, ...options });
  return { log, store, objects, applied, resourceViews, followed, projector };
}
