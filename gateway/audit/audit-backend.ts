/**
 * What a backend of the audit is, and what all of them tell of events that they lost.
 *
 * In Kubernetes: Backend and HandlePluginError, apiserver/pkg/audit.
 */
import type { AuditEvent } from '../../actors/audit/audit-event.ts';
import type { AuditSink } from '../../actors/audit/audit-sink.ts';
import type { Logger } from '../../actors/request/logger.ts';
import { legacyLine } from './legacy-line.ts';

/** A place that events are written to. */
export interface AuditBackend extends AuditSink {
  /** Settles when everything that was taken over is where it belongs, or cannot be brought there. */
  shutdown(): Promise<void>;
}

/** The parts of the audit pipeline that can lose events, as figures name them. */
export type AuditPlugin = 'log' | 'webhook' | 'buffered' | 'truncate';

/** Counts, and writes to the server's own log, what could not be kept. */
export class LostEvents {
  readonly counts = new Map<AuditPlugin, number>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  tell(plugin: AuditPlugin, why: string, events: readonly AuditEvent[]): void {
    this.counts.set(plugin, (this.counts.get(plugin) ?? 0) + events.length);
    const fields = { plugin, why, events: events.map(legacyLine) };
    this.#logger.error(fields, 'events of the audit could not be kept');
  }
}

/** Not at once where one of them is not known at once. */
export function allKept(kept: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  if (!kept.some((one) => one instanceof Promise)) return kept.every(Boolean);
  const coming = kept.map((one) => Promise.resolve(one));
  return Promise.all(coming).then((all) => all.every(Boolean));
}

/** Events go to each of them; all must keep what may not be lost. */
export function unionOf(backends: readonly AuditBackend[]): AuditBackend {
  const [only, ...others] = backends;
  if (only !== undefined && others.length === 0) return only;
  return {
    process(events) {
      return allKept(backends.map((backend) => backend.process(events)));
    },
    async shutdown() {
      await Promise.all(backends.map((backend) => backend.shutdown()));
    },
  };
}

/** Requests go on, whatever becomes of their events; where they had to wait, they still do. */
export function ignoringFailures(backend: AuditBackend): AuditBackend {
  return {
    process(events) {
      const kept = backend.process(events);
      return kept instanceof Promise ? kept.then(() => true) : true;
    },
    shutdown: () => backend.shutdown(),
  };
}
