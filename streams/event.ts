/**
 * What the log holds. A change is proposed, gets its place in the log, and takes effect or not.
 */
import type { StringMap } from '../api/meta/object-meta.ts';
import type { PlacesBack, ResourceVersion } from './resource-version.ts';

/** What happened to an object. */
export type EventType = 'added' | 'modified' | 'deleted';

/**
 * A marker changes nothing and is of no object: where the log has many writers it is written to
 * learn what "now" is. Its `resource` and `path` are '', its `json` is empty.
 */
export type RecordType = EventType | 'marker';

/**
 * Another object that must still have this version when the event is folded; 0: must not be.
 *
 * Where `path` is `<namespace>/`, and so names no object, it is about all objects of the resource in
 * that namespace: none that is there may have a version greater than this one.
 *
 * A negative version counts back from the event's own place: with -1 the record right in front of it
 * must have made the object what it is. So changes that are appended together take effect together.
 */
export interface Requirement {
  /** Where objects of the resource lie: `core/namespaces`. */
  readonly resource: string;
  /** `<namespace>/<name>`, or `/<name>` for cluster scope. */
  readonly path: string;
  /** As the writer has seen it. */
  readonly resourceVersion: ResourceVersion | PlacesBack;
}

/** A change that a writer wants to happen, or a marker. */
export interface ProposedEvent {
  /** The process that wrote it: random for each start. */
  readonly writer: string;
  /** Rises with each event of a writer. By it the fold knows a second copy, and ignores it. */
  readonly sequence: number;
  /** What becomes of the object; a marker is of none. */
  readonly type: RecordType;
  /** Where objects of this resource lie: `<group>/<resource>`, `core/…` for the legacy group. */
  readonly resource: string;
  /** `<namespace>/<name>`; `/<name>` for cluster scope. Unique within `resource`. */
  readonly path: string;
  /** The version of the object this one replaces; 0 for a create. */
  readonly previousResourceVersion: ResourceVersion;
  /** All of them must hold, or the record has no effect. */
  readonly requires: readonly Requirement[];
  /** The object as it is from now on, or for a delete its last state: JSON in its storage version, without resourceVersion. */
  readonly json: Uint8Array;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** `metadata.uid` of the object; '' for a marker. */
  readonly uid: string;
  /** The name of the user that asked for the change. */
  readonly user: string;
  /** As authorization knows it: `patch`. */
  readonly verb: string;
  /** Joins the record with the audit events of the request. */
  readonly auditID: string;
  /** The manager of the fields that the change set. */
  readonly fieldManager: string;
  /** The object's labels where the proposer has them at hand; not part of the record, so never read back. */
  readonly labels?: StringMap | undefined;
}

/** A record that has its place in the log. */
export interface LoggedEvent extends ProposedEvent {
  readonly resourceVersion: ResourceVersion;
  /** It would lie in the log otherwise today: encrypted, or not. */
  readonly isStale?: true;
}

/** What of a record tells what becomes of it. */
export type EventHead = Pick<
  LoggedEvent,
  | 'writer'
  | 'sequence'
  | 'type'
  | 'resource'
  | 'path'
  | 'previousResourceVersion'
  | 'requires'
  | 'time'
  | 'resourceVersion'
>;

/** A record that is a change of an object, and no marker. */
export type LoggedChange = LoggedEvent & { readonly type: EventType };

/** True for a change of an object, false for a marker. */
export function isChange<Head extends Pick<LoggedEvent, 'type'>>(
  record: Head,
): record is Head & { readonly type: EventType } {
  return record.type !== 'marker';
}

/** An object as every view serves it: its bytes, and the parts that selectors ask for. */
export interface StoredObject {
  /** Where objects of the resource lie: `apps/deployments`. */
  readonly resource: string;
  /** `<namespace>/<name>`, or `/<name>` for cluster scope. */
  readonly path: string;
  readonly resourceVersion: ResourceVersion;
  /** `metadata.labels`; undefined where it has none. */
  readonly labels: StringMap | undefined;
  /** JSON in the storage version, `metadata.resourceVersion` included. Never changed in place. */
  readonly json: Buffer;
  /** It lies in the log in another form than this: an old one, or another version. */
  readonly isRestated?: true;
  /** See LoggedEvent: to write it again is a change, even if it says the same. */
  readonly isStale?: boolean;
}

/** A change that took effect. */
export interface CommittedEvent {
  readonly resourceVersion: ResourceVersion;
  /** What became of the object. */
  readonly type: EventType;
  /** Where objects of the resource lie: `apps/deployments`. */
  readonly resource: string;
  /** `<namespace>/<name>`, or `/<name>` for cluster scope. */
  readonly path: string;
  /** The object as of this event; for a delete its last state, at the deletion's resourceVersion. */
  readonly object: StoredObject;
  /** What it replaced; undefined for a create. */
  readonly previous: StoredObject | undefined;
}

/** The path of a requirement that is about a whole namespace; '' for cluster scope. */
export function prefixOf(namespace: string): string {
  return `${namespace}/`;
}

/** Whether it is what {@link prefixOf} gives. */
export function isPrefix(path: string): boolean {
  return path.indexOf('/') === path.length - 1;
}

/** The namespace in an object's path; '' for cluster scope. */
export function namespaceOf(path: string): string {
  return path.slice(0, path.indexOf('/'));
}

/** The name in `<namespace>/<name>`. */
export function nameOf(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

/** `<namespace>/<name>`; the namespace is '' for objects of the cluster. */
export function pathOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
