/**
 * The objects of one resource as a fork finds them when it first looks: its parent's state at the
 * base, with the fork's own changes on top.
 *
 * Mostly the parent is still much as it was then. So its present objects are taken, the very same
 * values, and what was changed since is put back; only where that is more work than to read the
 * past, the past is read.
 */
import type { StoredObject } from '../../streams/event.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type {
  FateReads,
  ObjectStore,
  PathFate,
  PathRange,
  PathVersion,
} from '../store/object-history.ts';
import { ResourceObjects } from '../objects/object-view.ts';
import { PastObject } from '../objects/past-object.ts';
import type { ResourceViews, ProjectedResource } from '../resource-views.ts';

/** The control plane that a fork stands on. */
export interface ForkParent {
  readonly log: EventReader;
  readonly store: Pick<ObjectStore, 'appliedVersion'>;
  readonly resourceViews: ResourceViews;
}

export interface Inheritance {
  readonly parent: ForkParent;
  readonly base: ResourceVersion;
  /** The fork's own changes alone. */
  readonly own: FateReads;
  readonly ownLog: Pick<EventReader, 'at'>;
}

type Reverted = Map<string, StoredObject | undefined>;

const EVERYTHING: PathRange = { prefix: '', from: '' };
/** To put one object back costs about as much as to read so many of the past. */
const REVERT_COST = 8;
const REVERTED_ALWAYS = 64;
/** More than that would hold up all other requests; the past can be read in slices. */
const REVERTED_MAX = 1_024;
const SLICE_OBJECTS = 512;
/** Of more objects than these a copy is made in slices: that of a million takes a fifth of a second. */
const COPIED_AT_ONCE = 4_096;

/** @param version as of which the fork looks: its own changes up to there are on disk. */
export function inheritedObjects(
  { parent, base, own, ownLog }: Inheritance,
  resource: string,
  version: ResourceVersion,
): ResourceObjects {
  const objects = objectsAtBase(parent, base, { resource, version });
  for (const fate of own.fatesAt(resource, EVERYTHING, version)) {
    put(objects, { resource, log: ownLog, version }, fate);
  }
  return objects;
}

/**
 * The same, with pauses in which others can do something; undefined where it is quick anyway, for
 * {@link inheritedObjects} to do. What the fork begins with does not change, so it does not matter
 * what happens in the pauses.
 */
export async function inheritedInSlices(
  { parent, base, own, ownLog }: Inheritance,
  resource: string,
  version: ResourceVersion,
): Promise<ResourceObjects | undefined> {
  const now = parent.resourceViews.of(resource);
  const reverted = changedSince(parent, now, base);
  if (reverted !== undefined && now.objects.size <= COPIED_AT_ONCE) return undefined;
  const objects = new ResourceObjects(version);
  let count = 0;
  const pause = async (): Promise<void> => {
    count += 1;
    if (count % SLICE_OBJECTS === 0) await othersTurn();
  };
  for (const object of reverted === undefined ? objectsThen(now, base) : now.objects.all('')) {
    objects.set(object, version);
    await pause();
  }
  putBack(objects, reverted ?? new Map(), version);
  for (const fate of own.fatesAt(resource, EVERYTHING, version)) {
    put(objects, { resource, log: ownLog, version }, fate);
    await pause();
  }
  return objects;
}

interface OwnState {
  readonly resource: string;
  readonly log: Pick<EventReader, 'at'>;
  readonly version: ResourceVersion;
}

function put(
  objects: ResourceObjects,
  { resource, log, version }: OwnState,
  { path, resourceVersion: standing }: PathFate,
): void {
  if (standing === undefined) objects.delete(path, version);
  else objects.set(new PastObject(log, { resource, path }, standing), version);
}

function objectsAtBase(
  parent: ForkParent,
  base: ResourceVersion,
  { resource, version }: { readonly resource: string; readonly version: ResourceVersion },
): ResourceObjects {
  const now = parent.resourceViews.of(resource);
  const reverted = changedSince(parent, now, base);
  if (reverted === undefined) return objectsOfThen(now, base, version);
  const objects = now.objects.copy(version);
  putBack(objects, reverted, version);
  return objects;
}

function putBack(objects: ResourceObjects, reverted: Reverted, version: ResourceVersion): void {
  for (const [path, object] of reverted) {
    if (object === undefined) objects.delete(path, version);
    else objects.set(object, version);
  }
}

/**
 * What each object that has changed since was at `base`; undefined when there are too many, or
 * it cannot be told without waiting.
 */
function changedSince(
  { log, store }: ForkParent,
  { resource, objects, window, history }: ProjectedResource,
  base: ResourceVersion,
): Reverted | undefined {
  const reverted: Reverted = new Map();
  if (objects.changedAt <= base) return reverted;
  const worthwhile = Math.max(REVERTED_ALWAYS, objects.size / REVERT_COST);
  const revertedMax = Math.min(REVERTED_MAX, worthwhile);
  let rememberedFrom = base;
  if (!window.reachesBackTo(base)) {
    rememberedFrom = store.appliedVersion;
    if (!window.reachesBackTo(rememberedFrom)) return undefined;
    let changes = 0;
    for (const version of history.changesAfter(resource, base)) {
      if (version > rememberedFrom) break;
      changes += 1;
      if (changes > revertedMax) return undefined;
      revert(reverted, log, version);
    }
  }
  // The first change behind the base says what the object was at the base.
  for (const { path, previous } of window.after(rememberedFrom)) {
    if (!reverted.has(path)) reverted.set(path, previous);
  }
  return reverted;
}

function revert(reverted: Reverted, log: EventReader, version: ResourceVersion): void {
  const event = log.at(version);
  if (event === undefined || reverted.has(event.path)) return;
  const { path, previousResourceVersion: previous } = event;
  reverted.set(path, previous === 0 ? undefined : new PastObject(log, event, previous));
}

/** Out of the history. */
function objectsOfThen(
  now: ProjectedResource,
  base: ResourceVersion,
  version: ResourceVersion,
): ResourceObjects {
  const objects = new ResourceObjects(version);
  for (const object of objectsThen(now, base)) objects.set(object, version);
  return objects;
}

function* objectsThen(now: ProjectedResource, base: ResourceVersion): Generator<StoredObject> {
  for (const then of now.history.pathsAt(now.resource, EVERYTHING, base)) {
    yield objectOfThen(now, then);
  }
}

/** What has the same version today is the same value. */
function objectOfThen(
  { resource, objects, log }: ProjectedResource,
  { path, resourceVersion: version }: PathVersion,
): StoredObject {
  const present = objects.get(path);
  if (present?.resourceVersion === version) return present;
  return new PastObject(log, { resource, path }, version);
}
