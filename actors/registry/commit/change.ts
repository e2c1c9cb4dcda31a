/** What a writer wants the log to be told, and the events that the committer makes of it. */
import type { StringMap } from '../../../api/meta/object-meta.ts';
import type { EventType, ProposedEvent, Requirement } from '../../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';

/** A change, without the identity that the committer gives it. */
export interface Change {
  readonly type: EventType;
  readonly resource: string;
  readonly path: string;
  /**
   * Of the object that it replaces; 0 for one that must not be there. The arbiter holds it against
   * the log.
   */
  readonly previousResourceVersion: ResourceVersion;
  readonly requires: readonly Requirement[];
  /** In the version that is stored; not to be changed once the committer has it. */
  readonly json: Uint8Array;
  readonly labels: StringMap;
  readonly uid: string;
  readonly origin: Origin;
}

/** Where a change comes from, for the record. */
export interface Origin {
  readonly user: string;
  readonly verb: string;
  readonly auditID: string;
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
