/** A marker that only keeps a place in a log. */
import type { ProposedEvent } from '../event.ts';
import { resourceVersion } from '../resource-version.ts';

const NO_BYTES = new Uint8Array(0);

/** @param time in milliseconds since 1970. */
export function nothingAt(writer: string, sequence: number, time: number): ProposedEvent {
  return {
    writer,
    sequence,
    type: 'marker',
    resource: '',
    path: '',
    previousResourceVersion: resourceVersion(0),
    requires: [],
    json: NO_BYTES,
    time,
    uid: '',
    user: '',
    verb: '',
    auditID: '',
    fieldManager: '',
  };
}
