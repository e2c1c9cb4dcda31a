/**
 * Gathers what everybody wants to write, appends it in batches, and tells each writer what
 * became of its event once the fold has met it.
 *
 * It batches by being busy: one append is under way, and whatever arrives meanwhile is the next.
 * An append whose outcome is unknown is sent again, the same events with the same identity: the
 * fold counts only the first copy of each, so nothing is written twice.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { StringMap } from '../../api/meta/object-meta.ts';
import type { Verdict } from '../../projections/arbiter.ts';
import type { CommittedEvent, EventType, ProposedEvent, Requirement } from '../../streams/event.ts';
import {
  APPEND_BYTES_MAX,
  APPEND_EVENTS_MAX,
  AppendOutcomeUnknownError,
  type EventLog,
} from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

/** A change, without the identity that the committer gives it. */
export interface Change {
  readonly type: EventType;
  readonly resource: string;
  readonly path: string;
  readonly previousResourceVersion: ResourceVersion;
  readonly requires: readonly Requirement[];
  readonly json: Uint8Array;
  readonly labels: StringMap;
  readonly uid: string;
  readonly origin: Origin;
}

/** Who wants it, for the record. */
export interface Origin {
  readonly user: string;
  readonly verb: string;
  readonly auditID: string;
  readonly fieldManager: string;
  /** Milliseconds since 1970 after which nobody waits any more. */
  readonly deadline: number;
}

/**
 * `overtaken`: somebody else was first, look again. `overloaded` and `unavailable`: nothing was
 * written. `unknown`: it may take effect yet.
 */
export type Commit =
  | { readonly kind: 'committed'; readonly event: CommittedEvent }
  | { readonly kind: 'overtaken' | 'overloaded' | 'unavailable' | 'unknown' };

export type Committed = (commit: Commit) => void;

interface Pending {
  readonly event: ProposedEvent;
  readonly deadline: number;
  readonly done: Committed;
}

/** What waits beyond this is refused: 429 is better than memory that only grows. */
const QUEUE_BYTES_MAX = 64 * 1024 * 1024;
const RESEND_AFTER_MS = 100;
/** Room in an append for what the record adds to the object. */
const RECORD_OVERHEAD_BYTES = 1_024;

export interface CommitterParts {
  readonly log: Pick<EventLog, 'append'>;
  readonly clock: Clock;
  readonly random: Random;
}

export class Committer {
  readonly #parts: CommitterParts;
  readonly #writer: string;
  readonly #pending = new Map<number, Pending>();
  #sequence = 0;
  #queue: Pending[] = [];
  #queueBytes = 0;
  #appending = false;
  #whenIdle: (() => void)[] = [];

  constructor(parts: CommitterParts) {
    this.#parts = parts;
    this.#writer = parts.random.uuid();
  }

  /** Calls back exactly once. */
  commit(change: Change, done: Committed): void {
    const size = change.json.length + RECORD_OVERHEAD_BYTES;
    if (this.#queueBytes + size > QUEUE_BYTES_MAX) {
      done({ kind: 'overloaded' });
      return;
    }
    this.#sequence += 1;
    const event = this.#proposed(change, this.#sequence);
    const pending = { event, deadline: change.origin.deadline, done };
    this.#pending.set(event.sequence, pending);
    this.#queue.push(pending);
    this.#queueBytes += size;
    if (!this.#appending) this.#startAppending();
  }

  /** The projector's listener: the fold has met an event. */
  folded(event: ProposedEvent, verdict: Verdict, committed: CommittedEvent | undefined): void {
    if (event.writer !== this.#writer || verdict === 'duplicate') return;
    this.#settle(
      event.sequence,
      committed === undefined ? { kind: 'overtaken' } : { kind: 'committed', event: committed },
    );
  }

  /** Resolves when everything that was handed in has been answered. */
  async idle(): Promise<void> {
    if (!this.#appending && this.#pending.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  #proposed(change: Change, sequence: number): ProposedEvent {
    const { type, resource, path, previousResourceVersion, requires, json, labels, uid } = change;
    const { user, verb, auditID, fieldManager } = change.origin;
    return {
      writer: this.#writer,
      sequence,
      type,
      resource,
      path,
      previousResourceVersion,
      requires,
      json,
      time: this.#parts.clock.now(),
      uid,
      user,
      verb,
      auditID,
      fieldManager,
      labels,
    };
  }

  #startAppending(): void {
    this.#appending = true;
    // What else this turn of the event loop brings comes along.
    queueMicrotask(() => {
      void this.#appendAll();
    });
  }

  async #appendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#nextBatch();
      await this.#append(batch);
    }
    this.#appending = false;
    this.#tellIfIdle();
  }

  #nextBatch(): Pending[] {
    let count = 0;
    let sizeBytes = 0;
    while (count < this.#queue.length && count < APPEND_EVENTS_MAX) {
      const size = (this.#queue[count]?.event.json.length ?? 0) + RECORD_OVERHEAD_BYTES;
      if (count > 0 && sizeBytes + size > APPEND_BYTES_MAX) break;
      sizeBytes += size;
      count += 1;
    }
    this.#queueBytes -= sizeBytes;
    return this.#queue.splice(0, count);
  }

  async #append(batch: readonly Pending[]): Promise<void> {
    const events = batch.map(({ event }) => event);
    const first = await this.#tryAppend(events);
    if (first === 'unavailable') {
      for (const { event } of batch) this.#settle(event.sequence, { kind: 'unavailable' });
    }
    // Once it is unknown it stays so, even if a second copy is refused: the first may be there.
    let isSettled = first !== 'unknown';
    while (!isSettled && this.#isWaitedFor(batch)) {
      await this.#pause();
      isSettled = (await this.#tryAppend(events)) === 'appended';
    }
  }

  async #tryAppend(
    events: readonly ProposedEvent[],
  ): Promise<'appended' | 'unknown' | 'unavailable'> {
    try {
      await this.#parts.log.append(events);
      return 'appended';
    } catch (error) {
      return error instanceof AppendOutcomeUnknownError ? 'unknown' : 'unavailable';
    }
  }

  /** Answers those whose deadline has passed; says whether anybody is left. */
  #isWaitedFor(batch: readonly Pending[]): boolean {
    const now = this.#parts.clock.now();
    for (const { event, deadline } of batch) {
      if (deadline <= now) this.#settle(event.sequence, { kind: 'unknown' });
    }
    return batch.some(({ event }) => this.#pending.has(event.sequence));
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.clock.after(RESEND_AFTER_MS, resolve);
    });
  }

  #settle(sequence: number, commit: Commit): void {
    const pending = this.#pending.get(sequence);
    if (pending === undefined) return;
    this.#pending.delete(sequence);
    pending.done(commit);
    this.#tellIfIdle();
  }

  #tellIfIdle(): void {
    if (this.#whenIdle.length === 0 || this.#appending || this.#pending.size > 0) return;
    for (const tell of this.#whenIdle.splice(0)) tell();
  }
}
