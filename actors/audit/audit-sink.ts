/** Where events of the audit go: to a file, to a webhook. gateway/audit has those that there are. */
import type { AuditEvent } from './audit-event.ts';
import type { AuditLevel } from './audit-policy.ts';

export interface AuditSink {
  /**
   * Takes the events over. Must neither throw nor reject.
   *
   * @returns false where one of them is not kept and the request may not go on without; where
   *   requests are to wait until the events are kept, not at once.
   */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
}

/** What the audit counts of itself. gateway/audit shows it. */
export interface AuditCounts {
  /** Counted once for each stage that is written down, whatever the number of sinks. */
  events: number;
  /** Requests by the level that was decided. */
  readonly levels: Record<AuditLevel, number>;
  /** Requests that were not let on because their event could not be kept. */
  rejected: number;
}

/** Counters that begin at zero. */
export function auditCounts(): AuditCounts {
  const levels = { None: 0, Metadata: 0, Request: 0, RequestResponse: 0 };
  return { events: 0, levels, rejected: 0 };
}
