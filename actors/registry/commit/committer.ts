/**
 * The committer is an actor that gathers what all writers of this server propose, appends it in
 * batches, and tells each writer what became of its event once the fold has met it.
 *
 * It batches by being busy: one append is under way, or as many as the log takes, and proposals that arrive meanwhile
 * are the next. An append whose outcome is unknown is sent again, the same events with the same identity:
 * the fold counts only the first copy of each, so nothing is written twice.
 *
 * The fold takes the events of a writer in the order of their sequences, so an append that comes behind one that failed
 * must not be in the log: such a log refuses it, and both are sent again together, in order.
 *
 * A read asks what "now" is, and where the log has many writers only a write can tell: the next
 * append tells all readers that asked before it, and if there is nothing to append, a marker is.
 */
import type { Clock, Random } from '../../../api/meta/clock.ts';
import type { Verdict } from '../../../projections/fold/arbiter.ts';
import type { CommittedEvent, EventHead } from '../../../streams/event.ts';
import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  type EventLog,
} from '../../../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { type Behavior, type Ref, startActor, wait } from '../../request/actor.ts';
import type { Faults } from '../../request/faults.ts';
import {
  changesOf,
  markerEvent,
  OVERTAKEN,
  proposedEvent,
  refusalOf,
  type Change,
  type Commit,
  type Committed,
  type Reached,
} from './change.ts';
import { type Append, type AppendOutcome, outcomeOf } from './append.ts';
import { CommitQueue } from './commit-queue.ts';
import { repliesOf, unheard, UnansweredChanges, type Pending } from './unanswered-changes.ts';
import { untilGathered } from './gathering.ts';
import type { WriteMeters } from '../storage-meters.ts';

export type { Commit, Committed, Reached } from './change.ts';

export type CommitterMessage =
  /** A writer wants a change. */
  | { readonly type: 'proposed'; readonly change: Change; readonly reply: Committed }
  /** A reader wants to know what "now" is: the version of a record that is sent after this. */
  | { readonly type: 'momentAsked'; readonly reply: Reached }
  /** The turn of the event loop in which the first change was proposed is over, or those that brought more. */
  | { readonly type: 'gathered' }
  /** What an attempt to append came to. */
  | AppendOutcome
  | { readonly type: 'resendDue' }
  /** The fold has met an event of this committer; `committed` where it took effect. */
  | {
      readonly type: 'applied';
      readonly event: Pick<EventHead, 'sequence' | 'resourceVersion'>;
      readonly committed: CommittedEvent | undefined;
    }
  /** A caller wants to know when all that was proposed has been answered. */
  | { readonly type: 'idleAsked'; readonly reply: () => void };

type State =
  | { readonly name: 'resting' }
  | { readonly name: 'gathering' }
  /** In their order; one or more. */
  | { readonly name: 'appending'; readonly appends: readonly Append[] }
  /** Between two attempts to append the same batches. */
  | { readonly name: 'pausing'; readonly appends: readonly Append[] };

const RESEND_AFTER_MS = 100;
/** How long a log that is likely to come back is waited for before writers are told. */
const PASSING_MS = 8_000;
/** Readers time out before writers do, because a reader can retry on another replica. */
const MARKER_WAIT_MS = 10_000;
const RESTING: State = { name: 'resting' };
const GATHERING: State = { name: 'gathering' };

export interface CommitterParts {
  readonly log: Pick<EventLog, 'append' | 'appendsUnderWay' | 'refusal'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: Pick<Faults, 'record'>;
  /** undefined: writes are not measured. */
  readonly meters?: WriteMeters | undefined;
}

/** The started actor: takes its messages, and shows what monitoring asks of it. */
export class Committer implements Ref<CommitterMessage> {
  /** As the records of this server name it. */
  readonly writer: string;
  readonly #behavior: CommitterBehavior;
  readonly #actor: Ref<CommitterMessage>;

  constructor(parts: CommitterParts) {
    this.#behavior = new CommitterBehavior(parts);
    this.writer = this.#behavior.writer;
    this.#actor = startActor<CommitterMessage>(this.#behavior);
  }

  send(message: CommitterMessage): void {
    this.#actor.send(message);
  }

  /** Calls back exactly once. */
  commit(change: Change, reply: Committed): void {
    this.#actor.send({ type: 'proposed', change, reply });
  }

  /**
   * The version of a record that is sent after this call, when the fold has met it: all that was
   * written and acknowledged by now, by any server, is applied then. undefined when it cannot be
   * told; never rejects.
   */
  reach(): Promise<ResourceVersion | undefined> {
    return new Promise((reply) => {
      this.#actor.send({ type: 'momentAsked', reply });
    });
  }

  /** The projector's listener. Events of other writers and second copies are none of its business. */
  folded(event: EventHead, verdict: Verdict, committed: CommittedEvent | undefined): void {
    if (event.writer !== this.#behavior.writer || verdict === 'duplicate') return;
    const { sequence, resourceVersion } = event;
    this.#actor.send({ type: 'applied', event: { sequence, resourceVersion }, committed });
  }

  /** Resolves when everything that was handed in has been answered. */
  idle(): Promise<void> {
    return new Promise((reply) => {
      this.#actor.send({ type: 'idleAsked', reply });
    });
  }

  /** What the actor is doing. */
  get state(): State['name'] {
    return this.#behavior.state.name;
  }

  /** Why the latest append failed; undefined once one has succeeded. */
  get trouble(): Error | undefined {
    return this.#behavior.trouble;
  }

  /** The version of the latest record that this committer appended; 0 for none. */
  get appendedTo(): ResourceVersion {
    return this.#behavior.appendedTo;
  }

  /** How many markers were written. */
  get markerCount(): number {
    return this.#behavior.markerCount;
  }
}

class CommitterBehavior implements Behavior<CommitterMessage> {
  readonly name = 'committer';
  readonly writer: string;
  state = RESTING;
  trouble: Error | undefined;
  appendedTo = resourceVersion(0);
  markerCount = 0;
  readonly #parts: CommitterParts;
  readonly #unanswered: UnansweredChanges;
  readonly #queue = new CommitQueue<Pending>();
  #sequence = 0;
  /** Whether `gathered` is about to come. */
  #isGathering = false;
  #whenIdle: (() => void)[] = [];

  constructor(parts: CommitterParts) {
    this.#parts = parts;
    this.#unanswered = new UnansweredChanges(parts);
    this.writer = parts.random.uuid();
  }

  receive(message: CommitterMessage, self: Ref<CommitterMessage>): void {
    switch (message.type) {
      case 'proposed':
        this.#propose(message.change, message.reply, self);
        return;
      case 'momentAsked':
        this.#follow(message.reply, self);
        return;
      case 'applied':
        this.#applied(message.event, message.committed);
        return;
      case 'gathered':
        this.#isGathering = false;
        this.#appendNext(self);
        return;
      case 'appended':
        this.#appended(message.append, message.first, self);
        return;
      case 'appendFailed':
        this.#failed(message.append, message.error, self);
        return;
      case 'resendDue':
        this.#resend(self);
        return;
      case 'idleAsked':
        this.#whenIdle.push(message.reply);
        this.#tellIfIdle();
        return;
    }
  }

  fault(message: CommitterMessage, error: unknown): void {
    this.#parts.faults.record('committing', error);
    if (message.type === 'proposed') message.reply({ kind: 'refused', why: String(error) });
    if (message.type === 'momentAsked') message.reply(undefined);
  }

  #propose(change: Change, reply: Committed, self: Ref<CommitterMessage>): void {
    if (!this.#queue.hasSpaceFor(change.json)) {
      reply({ kind: 'overloaded' });
      return;
    }
    const changes = changesOf(change);
    const why = refusalOf(changes, this.#parts.log);
    if (why !== undefined) {
      reply({ kind: 'refused', why });
      return;
    }
    const replies = repliesOf(changes, reply);
    const { deadline } = change.origin;
    for (const [index, one] of changes.entries()) {
      const event = proposedEvent(one, this.#identity());
      const answer = replies[index] ?? unheard;
      this.#enqueue(
        { event, deadline, reply: answer, followers: [], isCompanion: index > 0 },
        self,
      );
    }
  }

  #follow(reply: Reached, self: Ref<CommitterMessage>): void {
    const next = this.#queue.last;
    if (next !== undefined) {
      next.followers.push(reply);
      return;
    }
    const deadline = this.#parts.clock.now() + MARKER_WAIT_MS;
    const event = markerEvent(this.#identity());
    const pending = { event, deadline, reply: unheard, followers: [reply], isCompanion: false };
    this.#enqueue(pending, self);
    this.markerCount += 1;
  }

  #identity() {
    this.#sequence += 1;
    return { writer: this.writer, sequence: this.#sequence, time: this.#parts.clock.now() };
  }

  #enqueue(pending: Pending, self: Ref<CommitterMessage>): void {
    this.#unanswered.add(pending);
    this.#queue.add(pending);
    if (this.#isGathering || !this.#hasRoom) return;
    if (this.state.name === 'resting') this.state = GATHERING;
    this.#isGathering = true;
    if (this.#appendsMax > 1) {
      wait(self, untilGathered(() => this.#sequence, this.#parts.clock).then(gathered));
      return;
    }
    // What else this turn of the event loop brings comes along.
    queueMicrotask(() => {
      self.send(gathered());
    });
  }

  get #appendsMax(): number {
    return this.#parts.log.appendsUnderWay ?? 1;
  }

  /** Whether the log takes another append now. */
  get #hasRoom(): boolean {
    const { name } = this.state;
    if (name === 'resting' || name === 'gathering') return true;
    return (
      name === 'appending' &&
      this.state.appends.length < this.#appendsMax &&
      this.state.appends.every(({ failure }) => failure === undefined)
    );
  }

  #appendNext(self: Ref<CommitterMessage>): void {
    if (!this.#hasRoom) return;
    const underWay = this.state.name === 'appending' ? this.state.appends : [];
    if (!this.#queue.isEmpty) {
      const giveUpAt = this.#parts.clock.now() + PASSING_MS;
      const batch = this.#queue.takeBatch();
      const append: Append = { batch, giveUpAt, mayBeThere: false, failure: undefined };
      this.state = { name: 'appending', appends: [...underWay, append] };
      this.#send(append, self);
    } else if (underWay.length === 0) {
      this.state = RESTING;
      this.#tellIfIdle();
    }
  }

  #send(append: Append, self: Ref<CommitterMessage>): void {
    append.failure = undefined;
    wait(self, outcomeOf(this.#parts.log, append));
  }

  #resend(self: Ref<CommitterMessage>): void {
    if (this.state.name !== 'pausing') return;
    const { appends } = this.state;
    this.state = { name: 'appending', appends };
    for (const append of appends) this.#send(append, self);
  }

  #appended(append: Append, first: ResourceVersion, self: Ref<CommitterMessage>): void {
    if (this.state.name !== 'appending') return;
    this.appendedTo = resourceVersion(first + append.batch.length - 1);
    this.trouble = undefined;
    this.#goOn(
      this.state.appends.filter((one) => one !== append),
      self,
    );
  }

  #failed(append: Append, error: unknown, self: Ref<CommitterMessage>): void {
    if (this.state.name !== 'appending') return;
    append.failure = error instanceof Error ? error : new Error(String(error));
    append.mayBeThere ||= error instanceof AppendOutcomeUnknownError;
    this.#goOn(this.state.appends, self);
  }

  /** @param appends that are left. Where one has failed, those behind it are about to be refused. */
  #goOn(appends: readonly Append[], self: Ref<CommitterMessage>): void {
    const areUnderWay = appends.some(({ failure }) => failure === undefined);
    const left = areUnderWay ? appends : this.#leftOf(appends);
    if (left.length > 0 && !areUnderWay) {
      this.state = { name: 'pausing', appends: left };
      this.#parts.clock.after(RESEND_AFTER_MS, () => {
        self.send({ type: 'resendDue' });
      });
      return;
    }
    this.state = left.length === 0 ? GATHERING : { name: 'appending', appends: left };
    if (!this.#isGathering) this.#appendNext(self);
  }

  /** Those of the failed appends that are to be sent again. Writers whose time is over are told. */
  #leftOf(appends: readonly Append[]): Append[] {
    const [front] = appends;
    if (front?.failure === undefined) return [];
    this.trouble = front.failure;
    if (!this.#isWorthWaiting(front.failure, front.giveUpAt)) {
      // What waits behind the appends was never sent, so it is certain that nothing of it was written.
      const absent = appends.filter(({ mayBeThere }) => !mayBeThere);
      this.#unanswered.refuse([...absent.flatMap(({ batch }) => batch), ...this.#queue.takeAll()]);
    }
    return appends.filter(({ batch, mayBeThere }) =>
      this.#unanswered.expire(batch, mayBeThere ? 'unknown' : 'unavailable'),
    );
  }

  #isWorthWaiting(failure: Error, giveUpAt: number): boolean {
    if (failure instanceof AppendOutcomeUnknownError) return true;
    const isPassing = failure instanceof LogUnavailableError && failure.isPassing;
    return isPassing && this.#parts.clock.now() < giveUpAt;
  }

  #applied(
    event: Pick<EventHead, 'sequence' | 'resourceVersion'>,
    committed: CommittedEvent | undefined,
  ): void {
    const isCommitted = committed !== undefined;
    const commit: Commit = isCommitted ? { kind: 'committed', event: committed } : OVERTAKEN;
    this.#unanswered.settle(event.sequence, commit, event.resourceVersion);
    this.#tellIfIdle();
  }

  #tellIfIdle(): void {
    if (this.#whenIdle.length === 0) return;
    if (this.state.name !== 'resting' || this.#unanswered.size > 0) return;
    for (const tell of this.#whenIdle.splice(0)) tell();
  }
}

function gathered(): CommitterMessage {
  return { type: 'gathered' };
}
