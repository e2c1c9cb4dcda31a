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

/** Of lines that are written together. One that is longer is written by itself. */
const CHUNK_LENGTH_MAX = 16_384;

export function logBackend({ writer, format, lost }: LogBackendParts): AuditBackend {
  const lineOf = format === 'json' ? auditEventJson : legacyLine;
  const areWritten = (lines: string, events: readonly AuditEvent[]): boolean => {
    if (events.length === 0) return true;
    try {
      writer.write(lines);
      return true;
    } catch (error) {
      lost.tell('log', error instanceof Error ? error.message : String(error), events);
      return false;
    }
  };
  return {
    process(events) {
      let areAllWritten = true;
      let lines = '';
      let from = 0;
      for (const [at, event] of events.entries()) {
        const line = `${lineOf(event)}\n`;
        if (lines.length + line.length > CHUNK_LENGTH_MAX) {
          areAllWritten = areWritten(lines, events.slice(from, at)) && areAllWritten;
          lines = '';
          from = at;
        }
        lines += line;
      }
      return areWritten(lines, events.slice(from)) && areAllWritten;
    },
    shutdown: () => writer.close(),
  };
}
