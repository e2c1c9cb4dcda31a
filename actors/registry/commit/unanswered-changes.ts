/**
 * Changes that were proposed and whose writers are not answered yet, by the sequence of their events:
 * those that wait to be appended, and those that the fold has not met. Each is answered once, and
 * measured then.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import type { ProposedEvent } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { NumberedUnderWay } from '../../request/under-way.ts';
import type { WriteMeters } from '../storage-meters.ts';
import { OVERTAKEN, type Change, type Commit, type Committed, type Reached } from './change.ts';

/** A change on its way, with what is told of it. */
export interface Pending {
  readonly event: ProposedEvent;
  readonly deadline: number;
  readonly reply: Committed;
  /** Readers that wait for the fold to meet it, whatever becomes of it. */
  readonly followers: Reached[];
  readonly isCompanion: boolean;
}

interface UnansweredParts {
  readonly clock: Clock;
  /** undefined: writes are not measured. */
  readonly meters?: WriteMeters | undefined;
}

export class UnansweredChanges {
  readonly #parts: UnansweredParts;
  readonly #pending = new NumberedUnderWay<Pending>();

  constructor(parts: UnansweredParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#pending.size;
  }

  add(pending: Pending): void {
    this.#pending.set(pending.event.sequence, pending);
  }

  /** Of these it is certain that nothing was written. */
  refuse(changes: readonly Pending[]): void {
    for (const { event } of changes) this.settle(event.sequence, { kind: 'unavailable' });
  }

  /** Answers those whose deadline has passed; says whether any writer is left. */
  expire(batch: readonly Pending[], kind: 'unknown' | 'unavailable'): boolean {
    const now = this.#parts.clock.now();
    for (const { event, deadline } of batch) {
      if (deadline <= now) this.settle(event.sequence, { kind });
    }
    return batch.some(({ event }) => this.#pending.has(event.sequence));
  }

  /**
   * Answers the writer of the event; nothing where it was answered before.
   *
   * @param version where the record stands; undefined: it is not known to stand anywhere.
   */
  settle(sequence: number, commit: Commit, version?: ResourceVersion): void {
    const pending = this.#pending.get(sequence);
    if (pending === undefined) return;
    this.#pending.delete(sequence);
    this.#measure(pending.event, commit);
    pending.reply(commit);
    for (const follower of pending.followers) follower(version);
  }

  #measure({ resource, type, time }: ProposedEvent, { kind }: Commit): void {
    const { meters, clock } = this.#parts;
    if (meters === undefined) return;
    const isFailed = kind === 'unavailable' || kind === 'unknown';
    meters.written(resource, type, { ms: clock.now() - time, isFailed });
  }
}

/** Told when the last of them is folded, so that a client reads all that it wrote. */
export function repliesOf({ length }: readonly Change[], reply: Committed): Committed[] {
  if (length === 1) return [reply];
  let first: Commit = OVERTAKEN;
  const replies: Committed[] = new Array<Committed>(length).fill(unheard);
  replies[0] = (commit) => {
    first = commit;
  };
  replies[length - 1] = () => {
    reply(first);
  };
  return replies;
}

/** The reply of what no caller asks about. */
export function unheard(): void {
  // No writer waits for what becomes of a marker, or of a companion that others follow.
}
