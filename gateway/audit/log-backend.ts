/**
 * Events as lines of a file.
 *
 * The first event of a request is in the file before the request goes on, so a request that got an
 * answer is recorded even if the process dies. Its later events are gathered, and written with the
 * next first one or a moment later: a write costs more than making a line.
 *
 * In Kubernetes: apiserver/plugin/pkg/audit/log.
 */
import type { Clock } from '../../api/meta/clock.ts';
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
  readonly clock: Clock;
}

/** Of lines that are written together. One that is longer is written by itself. */
const CHUNK_LENGTH_MAX = 16_384;
const LATER_MS = 10;

/** Writes each event as a line. */
export class LogBackend implements AuditBackend {
  readonly #parts: LogBackendParts;
  readonly #lineOf: (event: AuditEvent) => string;
  #gathered: AuditEvent[] = [];
  #isDue = false;

  constructor(parts: LogBackendParts) {
    this.#parts = parts;
    this.#lineOf = parts.format === 'json' ? auditEventJson : legacyLine;
  }

  process(events: readonly AuditEvent[]): boolean {
    let isWaitedFor = false;
    for (const event of events) {
      this.#gathered.push(event);
      isWaitedFor ||= event.isFirst;
    }
    if (isWaitedFor) return this.#write();
    if (!this.#isDue) {
      this.#isDue = true;
      this.#parts.clock.after(LATER_MS, this.#writeWhenDue);
    }
    return true;
  }

  async shutdown(): Promise<void> {
    this.#write();
    await this.#parts.writer.close();
  }

  readonly #writeWhenDue = (): void => {
    this.#isDue = false;
    this.#write();
  };

  /** @returns whether all are written. */
  #write(): boolean {
    const events = this.#gathered;
    if (events.length === 0) return true;
    this.#gathered = [];
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
