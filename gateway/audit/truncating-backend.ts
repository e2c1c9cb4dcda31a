/**
 * Keeps events and batches below a size: of an event that is too large the objects are left out,
 * and where that is not enough the event; a batch that is too large becomes several.
 *
 * In Kubernetes: apiserver/plugin/pkg/audit/truncate.
 */
import { auditEventJson, type AuditEvent } from '../../actors/audit/audit-event.ts';
import { allKept, type AuditBackend, type LostEvents } from './audit-backend.ts';

export interface TruncatingOptions {
  readonly eventBytesMax: number;
  readonly batchBytesMax: number;
}

const ANNOTATION = 'audit.k8s.io/truncated';

export function truncatingBackend(
  backend: AuditBackend,
  { eventBytesMax, batchBytesMax }: TruncatingOptions,
  lost: LostEvents,
): AuditBackend {
  const batchesOf = (events: readonly AuditEvent[]): AuditEvent[][] => {
    const batches: AuditEvent[][] = [];
    let space = 0;
    for (const event of events) {
      const { fitting, sizeBytes } = fittingEvent(event, eventBytesMax);
      if (sizeBytes > eventBytesMax) {
        lost.tell('truncate', 'event is too large even after truncating', [fitting]);
        continue;
      }
      if (batches.length === 0 || sizeBytes > space) {
        batches.push([]);
        space = batchBytesMax;
      }
      batches.at(-1)?.push(fitting);
      space -= sizeBytes;
    }
    return batches;
  };
  return {
    process(events) {
      return allKept(batchesOf(events).map((batch) => backend.process(batch)));
    },
    shutdown: () => backend.shutdown(),
  };
}

function fittingEvent(event: AuditEvent, bytesMax: number) {
  const sizeBytes = sizeOf(event);
  const { level } = event.request;
  const hasObjects = level === 'Request' || level === 'RequestResponse';
  if (sizeBytes <= bytesMax || !hasObjects) return { fitting: event, sizeBytes };
  const fitting: AuditEvent = {
    ...event,
    requestObject: undefined,
    responseObject: undefined,
    annotations: new Map(event.annotations).set(ANNOTATION, 'true'),
  };
  return { fitting, sizeBytes: sizeOf(fitting) };
}

function sizeOf(event: AuditEvent): number {
  return Buffer.byteLength(auditEventJson(event)) + 1;
}
