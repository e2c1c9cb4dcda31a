/**
 * Events as lines of a file, which are in it when they are handed over: what a request was answered
 * stands there before its client has the answer, even if the process dies.
 *
 * In Kubernetes: apiserver/plugin/pkg/audit/log.
 */
import { auditEventJson, type AuditEvent } from '../../actors/audit/audit-event.ts';
import type { AuditBackend, LostEvents } from './audit-backend.ts';
import { legacyLine } from './legacy-line.ts';
import type { LineWriter } from './rotating-file.ts';

/** The values of --audit-log-format. */
export type AuditLogFormat = 'json' | 'legacy';

export interface LogBackendParts {
  readonly writer: LineWriter;
  readonly format: AuditLogFormat;
  readonly lost: LostEvents;
}

/** Of lines that are written together. One that is longer is written by itself. */
const CHUNK_LENGTH_MAX = 16_384;

/** Writes each event as a line. */
export class LogBackend implements AuditBackend {
  readonly #parts: LogBackendParts;
  readonly #lineOf: (event: AuditEvent) => string;

  constructor(parts: LogBackendParts) {
    this.#parts = parts;
    this.#lineOf = parts.format === 'json' ? auditEventJson : legacyLine;
  }

  /** @returns whether all are written. */
  process(events: readonly AuditEvent[]): boolean {
    if (events.length === 0) return true;
    let areAllWritten = true;
    let lines = '';
    let from = 0;
    let at = 0;
    for (const event of events) {
      const line = `${this.#lineOf(event)}\n`;
      if (lines.length + line.length > CHUNK_LENGTH_MAX && at > from) {
        areAllWritten = this.#areWritten(lines, events, from, at) && areAllWritten;
        lines = '';
        from = at;
      }
      lines += line;
      at += 1;
    }
    return this.#areWritten(lines, events, from, events.length) && areAllWritten;
  }

  shutdown(): Promise<void> {
    return this.#parts.writer.close();
  }

  /** @param events those of the lines are from `from` to before `to`. */
  #areWritten(lines: string, events: readonly AuditEvent[], from: number, to: number): boolean {
    try {
      this.#parts.writer.write(lines);
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#parts.lost.tell('log', why, events.slice(from, to));
      return false;
    }
  }
}
