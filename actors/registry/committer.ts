/**
 * Gathers what everybody wants to write, appends it in batches, and tells each writer what
 * became of its event once the fold has met it.
 *
 * It batches by being busy: one append is under way, and whatever arrives meanwhile is the next.
 * An append whose outcome is unknown is sent again, the same events with the same identity: the
 * fold counts only the first copy of each, so nothing is written twice.
 *
 * Who reads wants to know what "now" is, and where the log has many writers only a write can tell:
 * whatever is appended next tells all who asked before it, and if there is nothing, a marker is.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { StringMap } from '../../api/meta/object-meta.ts';
import type { Verdict } from '../../projections/fold/arbiter.ts';
import type {
  CommittedEvent,
  EventType,
  LoggedEvent,
  ProposedEvent,
  Requirement,
} from '../../streams/event.ts';
import {
  APPEND_BYTES_MAX,
  APPEND_EVENTS_MAX,
  AppendOutcomeUnknownError,
  LogUnavailableError,
  type EventLog,
} from '../../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { NumberedUnderWay } from '../request/under-way.ts';
import type { WriteMeters } from './storage-meters.ts';

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
 * `overtaken`: somebody else was first, look again. `overloaded`, `unavailable` and `refused`: nothing
 * was written. `unknown`: it may take effect yet.
 */
export type Commit =
  | { readonly kind: 'committed'; readonly event: CommittedEvent }
  | { readonly kind: 'overtaken' | 'overloaded' | 'unavailable' | 'unknown' }
  | { readonly kind: 'refused'; readonly why: string };

export type Committed = (commit: Commit) => void;

/** Gets the version at which the record stands, which is applied; undefined when nobody can tell. */
export type Reached = (version: ResourceVersion | undefined) => void;

interface Pending {
  readonly event: ProposedEvent;
  readonly deadline: number;
  readonly done: Committed;
  /** Who waits for the fold to meet it, whatever becomes of it. */
  followers: Reached[];
}

/** What waits beyond this is refused: 429 is better than memory that only grows. */
const QUEUE_BYTES_MAX = 64 * 1024 * 1024;
const RESEND_AFTER_MS = 100;
/** How long a log that is likely to come back is waited for before writers are told. */
const PASSING_MS = 8_000;
/** Who reads is told sooner than who writes: he may ask somebody else. */
const MARKER_WAIT_MS = 10_000;
const NO_BYTES = new Uint8Array(0);
const OVERTAKEN: Commit = { kind: 'overtaken' };
/** Room in an append for what the record adds to the object. */
const RECORD_OVERHEAD_BYTES = 1_024;

export interface CommitterParts {
  readonly log: Pick<EventLog, 'append' | 'refusal'>;
  readonly clock: Clock;
  readonly random: Random;
  /** undefined: writes are not measured. */
  readonly meters?: WriteMeters | undefined;
}

export class Committer {
  readonly #parts: CommitterParts;
  readonly #writer: string;
  readonly #pending = new NumberedUnderWay<Pending>();
  #sequence = 0;
  #queue: Pending[] = [];
  #queueBytes = 0;
  #appending = false;
  #whenIdle: (() => void)[] = [];
  #markers = 0;
  #trouble: Error | undefined;
  #appendedTo = resourceVersion(0);

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
    const why = this.#parts.log.refusal?.(change);
    if (why !== undefined) {
      done({ kind: 'refused', why });
      return;
    }
    this.#sequence += 1;
    const event = this.#proposed(change, this.#sequence);
    this.#enqueue({ event, deadline: change.origin.deadline, done, followers: [] });
  }

  /**
   * Calls back, once, when the fold has met a record that was sent after this call: whatever anybody
   * has written and been told of by now is applied then.
   */
  reach(done: Reached): void {
    const next = this.#queue.at(-1);
    if (next !== undefined) {
      next.followers.push(done);
      return;
    }
    this.#sequence += 1;
    const deadline = this.#parts.clock.now() + MARKER_WAIT_MS;
    this.#enqueue({ event: this.#marker(), deadline, done: nothing, followers: [done] });
    this.#markers += 1;
  }

  /** Why the latest append failed; undefined once one has succeeded. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  /** The version of the latest record that this committer appended; 0 for none. */
  get appendedTo(): ResourceVersion {
    return this.#appendedTo;
  }

  /** How many markers were written. */
  get markerCount(): number {
    return this.#markers;
  }

  /** The projector's listener: the fold has met an event. */
  folded(event: LoggedEvent, verdict: Verdict, committed: CommittedEvent | undefined): void {
    if (event.writer !== this.#writer || verdict === 'duplicate') return;
    const isCommitted = committed !== undefined;
    const commit: Commit = isCommitted ? { kind: 'committed', event: committed } : OVERTAKEN;
    this.#settle(event.sequence, commit, event.resourceVersion);
  }

  /** Resolves when everything that was handed in has been answered. */
  async idle(): Promise<void> {
    if (!this.#appending && this.#pending.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  #enqueue(pending: Pending): void {
    this.#pending.set(pending.event.sequence, pending);
    this.#queue.push(pending);
    this.#queueBytes += sizeOf(pending);
    if (!this.#appending) this.#startAppending();
  }

  #marker(): ProposedEvent {
    return {
      writer: this.#writer,
      sequence: this.#sequence,
      type: 'marker',
      resource: '',
      path: '',
      previousResourceVersion: resourceVersion(0),
      requires: [],
      json: NO_BYTES,
      time: this.#parts.clock.now(),
      uid: '',
      user: '',
      verb: '',
      auditID: '',
      fieldManager: '',
    };
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
    for (const pending of this.#queue) {
      const size = sizeOf(pending);
      if (count === APPEND_EVENTS_MAX || (count > 0 && sizeBytes + size > APPEND_BYTES_MAX)) break;
      sizeBytes += size;
      count += 1;
    }
    this.#queueBytes -= sizeBytes;
    return this.#queue.splice(0, count);
  }

  async #append(batch: readonly Pending[]): Promise<void> {
    const events = batch.map(({ event }) => event);
    const giveUpAt = this.#parts.clock.now() + PASSING_MS;
    let mayBeThere = false;
    for (;;) {
      const outcome = await this.#tryAppend(events);
      if (outcome === 'appended') return;
      // Once it is unknown it stays so, even if a second copy is refused: the first may be there.
      mayBeThere ||= outcome === 'unknown';
      const isOver =
        outcome === 'unavailable' || (outcome === 'passing' && this.#parts.clock.now() >= giveUpAt);
      if (isOver) this.#refuse(mayBeThere ? this.#takeQueue() : [...batch, ...this.#takeQueue()]);
      if (!this.#isWaitedFor(batch, mayBeThere ? 'unknown' : 'unavailable')) return;
      await this.#pause();
    }
  }

  async #tryAppend(
    events: readonly ProposedEvent[],
  ): Promise<'appended' | 'unknown' | 'passing' | 'unavailable'> {
    try {
      const first = await this.#parts.log.append(events);
      this.#appendedTo = resourceVersion(first + events.length - 1);
      this.#trouble = undefined;
      return 'appended';
    } catch (error) {
      this.#trouble = error instanceof Error ? error : new Error(String(error));
      if (error instanceof AppendOutcomeUnknownError) return 'unknown';
      return error instanceof LogUnavailableError && error.isPassing ? 'passing' : 'unavailable';
    }
  }

  /** What waits behind an append was never sent, so it is certain that nothing of it was written. */
  #takeQueue(): Pending[] {
    this.#queueBytes = 0;
    return this.#queue.splice(0);
  }

  #refuse(batch: readonly Pending[]): void {
    for (const { event } of batch) this.#settle(event.sequence, { kind: 'unavailable' });
  }

  /** Answers those whose deadline has passed; says whether anybody is left. */
  #isWaitedFor(batch: readonly Pending[], kind: 'unknown' | 'unavailable'): boolean {
    const now = this.#parts.clock.now();
    for (const { event, deadline } of batch) {
      if (deadline <= now) this.#settle(event.sequence, { kind });
    }
    return batch.some(({ event }) => this.#pending.has(event.sequence));
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.clock.after(RESEND_AFTER_MS, resolve);
    });
  }

  #settle(sequence: number, commit: Commit, version?: ResourceVersion): void {
    const pending = this.#pending.get(sequence);
    if (pending === undefined) return;
    this.#pending.delete(sequence);
    this.#measure(pending.event, commit);
    pending.done(commit);
    for (const follower of pending.followers) follower(version);
    this.#tellIfIdle();
  }

  #measure({ resource, type, time }: ProposedEvent, { kind }: Commit): void {
    const { meters, clock } = this.#parts;
    if (meters === undefined) return;
    const isFailed = kind === 'unavailable' || kind === 'unknown';
    meters.written(resource, type, { ms: clock.now() - time, isFailed });
  }

  #tellIfIdle(): void {
    if (this.#whenIdle.length === 0 || this.#appending || this.#pending.size > 0) return;
    for (const tell of this.#whenIdle.splice(0)) tell();
  }
}

function sizeOf({ event }: Pending): number {
  return event.json.length + RECORD_OVERHEAD_BYTES;
}

function nothing(): void {
  // Nobody waits for what becomes of a marker itself.
}
