/** What a writer wants the log to be told, the events that the committer makes of it, and what becomes of it. */
import type { StringMap } from '../../../api/meta/object-meta.ts';
import type {
  CommittedEvent,
  EventType,
  ProposedEvent,
  Requirement,
  StoredObject,
} from '../../../streams/event.ts';
import { APPEND_EVENTS_MAX, type EventLog } from '../../../streams/event-log.ts';
import {
  placesBack,
  resourceVersion,
  type ResourceVersion,
} from '../../../streams/resource-version.ts';

/** A change, without the identity that the committer gives it. */
export interface Change {
  /** Whether the object is new, replaced or gone. */
  readonly type: EventType;
  /**
   * Where objects of this resource lie in the log: `apps/deployments`, `core/…` for the legacy
   * group.
   */
  readonly resource: string;
  /** `namespace/name`, or `/name` where the kind has no namespace. */
  readonly path: string;
  /**
   * Of the object that it replaces; 0 for one that must not be there. The arbiter holds it against
   * the log.
   */
  readonly previousResourceVersion: ResourceVersion;
  /** Other objects whose versions must still hold when the fold reaches the change. */
  readonly requires: readonly Requirement[];
  /** In the version that is stored; not to be changed once the committer has it. */
  readonly json: Uint8Array;
  /** The labels of the object, for the selectors of watches; `{}` where it has none. */
  readonly labels: StringMap;
  /** `metadata.uid` of the object, for the record. */
  readonly uid: string;
  /** The request that made the change. */
  readonly origin: Origin;
  /** Changes of other objects that take effect with this one or not at all; see {@link together}. */
  readonly companions?: readonly Companion[];
}

/** Where a change of the object lies, and which version of it the change replaces. */
export function replacing({
  resource,
  path,
  resourceVersion: previousResourceVersion,
}: StoredObject): Pick<Change, 'resource' | 'path' | 'previousResourceVersion'> {
  return { resource, path, previousResourceVersion };
}

/** A change that comes along with another one, of the same origin. */
export type Companion = Omit<Change, 'origin' | 'companions'>;

/**
 * One change out of several: all of them take effect, or none. The first is judged by the conditions of
 * all, and each of the others holds where the first has made its object what it is. They stand in the
 * log one behind the other, so nothing that comes between can change what the first was judged by.
 */
export function together(first: Change, others: readonly Companion[]): Change {
  if (others.length === 0) return first;
  const conditions = others
    .filter((one) => one.resource !== first.resource || one.path !== first.path)
    .map(({ resource, path, previousResourceVersion }): Requirement => {
      return { resource, path, resourceVersion: previousResourceVersion };
    });
  return {
    ...first,
    requires: [...first.requires, ...conditions, ...others.flatMap((one) => one.requires)],
    companions: others.map((one, index) => ({
      ...one,
      requires: [...one.requires, effectOf(first, index + 1)],
    })),
  };
}

/**
 * What says that a change took effect, `distance` records behind it. Of a deletion it is that the
 * object is gone: had another one deleted it, that one's companions have changed the rest.
 */
function effectOf({ type, resource, path }: Change, distance: number): Requirement {
  return {
    resource,
    path,
    resourceVersion: type === 'deleted' ? NO_VERSION : placesBack(distance),
  };
}

/** The change and its companions, in the order in which they stand in the log. */
export function changesOf(change: Change): readonly Change[] {
  const { origin, companions } = change;
  if (companions === undefined) return [change];
  return [change, ...companions.map((one) => ofOrigin(one, origin))];
}

function ofOrigin(companion: Companion, origin: Origin): Change {
  const { type, resource, path, previousResourceVersion, requires, json, labels, uid } = companion;
  return { type, resource, path, previousResourceVersion, requires, json, labels, uid, origin };
}

/** Why the changes cannot be appended together; undefined: they can. */
export function refusalOf(
  changes: readonly Change[],
  log: Pick<EventLog, 'refusal'>,
): string | undefined {
  if (changes.length > APPEND_EVENTS_MAX) return 'it changes more objects than one append takes';
  let why = undefined;
  for (const one of changes) why ??= log.refusal?.(one);
  return why;
}

/** Where a change comes from, for the record. */
export interface Origin {
  /** The name of the user, behind impersonation. */
  readonly user: string;
  /** As authorization knows it: `create`, `patch`, `deletecollection`. */
  readonly verb: string;
  /** Joins the record with the audit events of the request; see `Audit-ID`. */
  readonly auditID: string;
  /** As the client named it, or as it was made of the User-Agent. */
  readonly fieldManager: string;
  /** Milliseconds since 1970 after which no client waits for it any more. */
  readonly deadline: number;
}

/** By which copies of an event are known. */
export interface EventIdentity {
  readonly writer: string;
  readonly sequence: number;
  /** Milliseconds since 1970: when it was proposed. */
  readonly time: number;
}

const NO_BYTES = new Uint8Array(0);
const NO_REQUIREMENTS: readonly Requirement[] = [];
const NO_VERSION = resourceVersion(0);

export function proposedEvent(
  change: Change,
  { writer, sequence, time }: EventIdentity,
): ProposedEvent {
  const { type, resource, path, previousResourceVersion, requires, json, labels, uid } = change;
  const { user, verb, auditID, fieldManager } = change.origin;
  return {
    writer,
    sequence,
    type,
    resource,
    path,
    previousResourceVersion,
    requires,
    json,
    time,
    uid,
    user,
    verb,
    auditID,
    fieldManager,
    labels,
  };
}

/** A record that changes nothing and shows where the log ended when it was sent. */
export function markerEvent({ writer, sequence, time }: EventIdentity): ProposedEvent {
  return {
    writer,
    sequence,
    type: 'marker',
    resource: '',
    path: '',
    previousResourceVersion: NO_VERSION,
    requires: NO_REQUIREMENTS,
    json: NO_BYTES,
    time,
    uid: '',
    user: '',
    verb: '',
    auditID: '',
    fieldManager: '',
  };
}

/**
 * `overtaken`: another writer was first, look again. `overloaded`, `unavailable` and `refused`:
 * nothing was written. `unknown`: it may take effect yet.
 */
export type Commit =
  | { readonly kind: 'committed'; readonly event: CommittedEvent }
  | { readonly kind: 'overtaken' | 'overloaded' | 'unavailable' | 'unknown' }
  | { readonly kind: 'refused'; readonly why: string };

/** Called once. Must not throw. */
export type Committed = (commit: Commit) => void;

/**
 * Called once, with the version at which the record stands, which is applied; undefined when it
 * cannot be told. Must not throw.
 */
export type Reached = (version: ResourceVersion | undefined) => void;

/** The outcome that a write is attempted again for. */
export const OVERTAKEN: Commit = { kind: 'overtaken' };
