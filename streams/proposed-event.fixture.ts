/** Events as requests would propose them, for tests of all that logs, moves or folds events. */
import type { ProposedEvent } from './event.ts';
import { resourceVersion } from './resource-version.ts';

/** A change as a request would propose it; `sequence` makes it different from the others. */
export function proposedEvent(
  sequence: number,
  changes: Partial<ProposedEvent> = {},
): ProposedEvent {
  const name = `object-${String(sequence)}`;
  return {
    writer: 'writer-a',
    sequence,
    type: 'added',
    resource: 'core/configmaps',
    path: `default/${name}`,
    previousResourceVersion: resourceVersion(0),
    requires: [],
    json: Buffer.from(JSON.stringify({ metadata: { name, namespace: 'default' } })),
    time: 1_700_000_000_000 + sequence,
    uid: `uid-${String(sequence)}`,
    user: 'jane',
    verb: 'create',
    auditID: `audit-${String(sequence)}`,
    fieldManager: 'kubectl',
    ...changes,
  };
}

/** What a server writes to learn what "now" is. */
export function proposedMarker(sequence: number): ProposedEvent {
  return proposedEvent(sequence, {
    type: 'marker',
    resource: '',
    path: '',
    json: Buffer.alloc(0),
    uid: '',
    user: '',
    verb: '',
    auditID: '',
    fieldManager: '',
  });
}
