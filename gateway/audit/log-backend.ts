/**
 * Events as lines of a file.
 *
 * In Kubernetes: apiserver/plugin/pkg/audit/log.
 */
import { auditEventJson, type AuditEvent } from '../../actors/audit/audit-event.ts';
import type { AuditBackend, LostEvents } from './audit-backend.ts';
import { legacyLine } from './legacy-line.ts';
import type { LineWriter } from './rotating-file.ts';

export type AuditLogFormat = 'json' | 'legacy';

export interface LogBackendParts {
  readonly writer: LineWriter;
  readonly format: AuditLogFormat;
  readonly lost: LostEvents;
}

export function logBackend({ writer, format, lost }: LogBackendParts): AuditBackend {
  const lineOf = format === 'json' ? auditEventJson : legacyLine;
  const isWritten = (event: AuditEvent): boolean => {
    try {
      writer.write(`${lineOf(event)}\n`);
      return true;
    } catch (error) {
      lost.tell('log', error instanceof Error ? error.message : String(error), [event]);
      return false;
    }
  };
  return {
    process(events) {
      let areAllWritten = true;
      for (const event of events) areAllWritten = isWritten(event) && areAllWritten;
      return areAllWritten;
    },
    shutdown: () => writer.close(),
  };
}
