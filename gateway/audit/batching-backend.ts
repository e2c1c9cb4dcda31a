/**
 * Gathers events and hands them on in batches, so that no request waits. Events that do not fit into the
 * buffer are dropped and logged. Events and batches are kept below a size: an event that is too
 * large loses its objects and, where that is not enough, is dropped; a batch that is too large becomes several.
 *
 * In Kubernetes: apiserver/plugin/pkg/audit/buffered and truncate.
 */
import { type AuditEvent, auditEventJson } from '../../actors/audit/audit-event.ts';
import { allKept, type AuditBackend, type LostEvents } from './audit-backend.ts';
import type { Clock } from '../../api/meta/clock.ts';

interface TruncatingOptions {
  readonly eventBytesMax: number;
  readonly batchBytesMax: number;
}

const ANNOTATION = 'audit.k8s.io/truncated';

/** Keeps events and batches below the sizes in front of a backend. */
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

/** The flags --audit-log-batch-… or --audit-webhook-batch-…. */
export interface BatchingOptions {
  /** Events that wait; more are lost. */
  readonly bufferSize: number;
  /** Events of one batch. */
  readonly batchSizeMax: number;
  /** How long a batch waits that is not full. */
  readonly batchWaitMaxMs: number;
  /** undefined: batches go as they come. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
}

interface BatchingParts {
  readonly backend: AuditBackend;
  readonly clock: Clock;
  readonly lost: LostEvents;
}

/** Hands events on when a batch is full or its time is over; at a shutdown, all that it has. */
export class BatchingBackend implements AuditBackend {
  readonly #options: BatchingOptions;
  readonly #parts: BatchingParts;
  readonly #buffer: AuditEvent[] = [];
  /** Batches that may go now, as of `#earnedAt`. */
  #allowance: number;
  #earnedAt: number;
  #timer: { readonly isForFull: boolean; readonly cancel: () => void } | undefined;
  #isShutDown = false;

  constructor(options: BatchingOptions, parts: BatchingParts) {
    this.#options = options;
    this.#parts = parts;
    this.#allowance = options.throttle?.burst ?? 0;
    this.#earnedAt = parts.clock.now();
  }

  process(events: readonly AuditEvent[]): boolean {
    const { bufferSize, batchSizeMax } = this.#options;
    const space = this.#isShutDown ? 0 : bufferSize - this.#buffer.length;
    if (events.length <= space) {
      for (const event of events) this.#buffer.push(event);
    } else {
      this.#buffer.push(...events.slice(0, space));
      const why = this.#isShutDown ? 'audit backend shut down' : 'audit buffer queue blocked';
      this.#parts.lost.tell('buffered', why, events.slice(space));
    }
    this.#sendSoon(this.#buffer.length >= batchSizeMax);
    return true;
  }

  async shutdown(): Promise<void> {
    this.#isShutDown = true;
    this.#timer?.cancel();
    while (this.#buffer.length > 0) this.#send();
    await this.#parts.backend.shutdown();
  }

  /** A full batch does not wait for the time of one that is not. */
  #sendSoon(isFull: boolean): void {
    if (this.#buffer.length === 0) return;
    if (this.#timer !== undefined) {
      if (!isFull || this.#timer.isForFull) return;
      this.#timer.cancel();
    }
    const delayMs = Math.max(isFull ? 0 : this.#options.batchWaitMaxMs, this.#waitMs());
    const cancel = this.#parts.clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#sendDue();
    });
    this.#timer = { isForFull: isFull, cancel };
  }

  /** The batch whose time has come, and all full ones that may go with it. */
  #sendDue(): void {
    const { batchSizeMax } = this.#options;
    do this.#send();
    while (this.#buffer.length >= batchSizeMax && this.#waitMs() === 0);
    this.#sendSoon(this.#buffer.length >= batchSizeMax);
  }

  /** Until the throttle lets another batch go. */
  #waitMs(): number {
    const { throttle } = this.#options;
    if (throttle === undefined) return 0;
    const now = this.#parts.clock.now();
    const earned = ((now - this.#earnedAt) / 1_000) * throttle.perSecond;
    this.#allowance = Math.min(throttle.burst, this.#allowance + earned);
    this.#earnedAt = now;
    if (this.#allowance >= 1) return 0;
    return Math.ceil(((1 - this.#allowance) / throttle.perSecond) * 1_000);
  }

  #send(): void {
    this.#allowance -= 1;
    const batch = this.#buffer.splice(0, this.#options.batchSizeMax);
    void this.#parts.backend.process(batch);
  }
}
