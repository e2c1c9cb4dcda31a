/**
 * A subscription to the objects of a resource: a watch, whose events are shared with all watches of the
 * same shape, and which is asked for anew whenever it ends, as a client would. Behind what was shown
 * it goes on, so the client sees none of this.
 */
import type { Answer, WatchPlan } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../../actors/request/request.ts';
import { badRequest, type Status } from '../../api/meta/status.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { WatchView } from '../../projections/watch/watch-view.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { eventsIn, type EventsInChunk, type WatchEncoder } from '../watch/watch-encoder.ts';
import type { WatchFollower, WatchWire, WireListener } from '../watch/watch-session.ts';
import type { WatchAnswer } from '../watch/watch-sessions.ts';
import { LiveCredit } from './live-credit.ts';
import type { Collected } from './live-order.ts';
import type { SubscribeMessage } from '../../api/live/live-messages.ts';
import { Asking } from './live-request.ts';
import { chunkUntil } from './live-journey.ts';
import type {
  Arrival,
  EventSink,
  LiveContext,
  Subscription,
  Traveller,
} from './live-subscription.ts';
import { statusOfRefusal } from './refusal-status.ts';
import { isBound, planeOf, watchTarget } from './live-target.ts';

export class ObjectSubscription implements Subscription, Traveller, WatchFollower, EventSink {
  readonly #context: LiveContext;
  readonly #subscribed: SubscribeMessage;
  readonly #credit: LiveCredit | undefined;
  #wire: SessionWire | undefined;
  #request: AuthenticatedRequest | undefined;
  /** From where it goes on; undefined: from the state. */
  #shown: ResourceVersion | undefined;
  #plan: WatchPlan | undefined;
  /** Of the state that is being shown. */
  #stateVersion: ResourceVersion | undefined;
  /** Where it stays; undefined: it follows what happens. */
  #moment: string | undefined;
  #isInState = false;
  #isResetDue = false;
  #isLive = false;
  #shape: WatchEncoder | undefined;
  /** undefined: nothing waits for it. */
  #arrived: ((arrival: Arrival | undefined) => void)[] | undefined;
  /** Whether what is collected of it goes nowhere. */
  isClosed = false;
  #isOver = false;

  constructor(context: LiveContext, subscribed: SubscribeMessage) {
    this.#context = context;
    this.#subscribed = subscribed;
    const { credit, from, at } = subscribed;
    this.#moment = at ?? (isBound(subscribed) ? undefined : context.moment);
    this.#credit = credit === undefined ? undefined : new LiveCredit(credit);
    const beginsAfter = from !== undefined && this.#moment === undefined;
    this.#shown = beginsAfter ? resourceVersion(Number(from)) : undefined;
  }

  get id(): string {
    return this.#subscribed.id;
  }

  get plane(): string {
    return planeOf(this.#subscribed.path);
  }

  get request(): AuthenticatedRequest | undefined {
    return this.#request;
  }

  get isBehind(): boolean {
    return !this.#isLive && this.#moment === undefined;
  }

  get applied(): AppliedVersion | undefined {
    return this.#plan?.applied;
  }

  get traveller(): Traveller | undefined {
    return isBound(this.#subscribed) ? undefined : this;
  }

  begin(): void {
    if (!this.#isOver && this.#wire === undefined) this.#ask();
  }

  moveTo(at: string | undefined): Promise<Arrival | undefined> {
    if (this.#isOver) return Promise.resolve(undefined);
    this.#leave();
    this.#moment = at;
    this.#shown = undefined;
    return new Promise((resolve) => {
      (this.#arrived ??= []).push(resolve);
      this.#ask();
    });
  }

  async runTo(time: number): Promise<Arrival | undefined> {
    const [plan, after, shape] = [this.#plan, this.#shown, this.#shape];
    if (this.#isOver || plan === undefined || after === undefined || shape === undefined)
      return undefined;
    const { version, chunk } = await chunkUntil({ plan, shape }, after, time);
    // It may have moved or ended meanwhile.
    if (!this.#isStillAt(after)) return undefined;
    // A state tells why objects cannot be shown.
    if (!Buffer.isBuffer(chunk)) return this.moveTo(String(version));
    this.#shown = version;
    this.#moment = String(version);
    const events = eventsIn(chunk);
    if (events !== undefined && events.sizes.length > 0) {
      this.#credit?.take(events.sizes.length);
      this.#context.collect({ to: this, chunk, events, isOrdered: true });
    }
    return { version, time };
  }

  #isStillAt(past: ResourceVersion): boolean {
    return !this.#isOver && this.#shown === past && this.#moment !== undefined;
  }

  #ask(): void {
    this.#isLive = false;
    const wire = new SessionWire(this);
    this.#wire = wire;
    const beginning = this.#moment === undefined ? { from: this.#shown } : { at: this.#moment };
    this.#context.requests.ask(watchTarget(this.#subscribed, beginning), wire);
  }

  askAgain(): void {
    if (this.#isOver) return;
    this.#leave();
    this.#ask();
  }

  resume(): void {
    this.#wire?.drained();
  }

  ack(revision: number): void {
    if (this.#credit === undefined) return;
    const wasSpent = this.#credit.isSpent;
    this.#credit.ack(revision);
    if (wasSpent && this.#hasRoom()) this.resume();
  }

  show(): boolean {
    return false;
  }

  close(): void {
    if (this.#isOver) return;
    this.isClosed = true;
    this.#isOver = true;
    this.#leave();
    this.#tellArrived(undefined);
  }

  headOf(revision: ResourceVersion, count: number): Buffer {
    this.#credit?.sent(revision, count);
    return Buffer.from(
      `{"type":"next","id":${JSON.stringify(this.id)},"revision":"${String(revision)}","events":[`,
    );
  }

  /** Of the wire, which leaves the view when it is closed. */
  follow(view: WatchView): void {
    this.#context.follow(view);
  }

  leave(view: WatchView): void {
    this.#context.leave(view);
  }

  /** Of the session. @returns whether it may go on. */
  write(chunk: Buffer): boolean {
    const events = eventsIn(chunk);
    if (events === undefined) return true;
    this.#credit?.take(events.sizes.length);
    if (this.#isInState) this.#collectState({ chunk, events });
    else {
      this.#context.collect({ to: this, chunk, events, isOrdered: this.#isLive });
      this.#shown = events.revisions.at(-1) ?? this.#shown;
    }
    const hasRoom = this.#hasRoom();
    if (!hasRoom) this.#isLive = false;
    return hasRoom;
  }

  stateShown(version: ResourceVersion): void {
    if (this.#isResetDue) this.#collectState({ chunk: NOTHING, events: NO_EVENTS });
    this.#isInState = false;
    this.#shown = version;
    this.#context.hasBegun(this);
    this.#tellArrived({ version, time: this.#request?.momentTime });
    if (this.#moment === undefined) return;
    this.#tellCaughtUp(version);
    // It stays where it is: what came later is not shown.
    this.#leave();
  }

  caughtUp(version: ResourceVersion): void {
    this.#context.showGathered();
    this.#isLive = true;
    this.#shown = version;
    this.#tellCaughtUp(version);
  }

  failed(status: Status): void {
    this.#end(status);
  }

  /** Of the session: the server has ended it, or a webhook, or it has failed. */
  sessionEnded(wire: SessionWire): void {
    if (this.#isOver || this.#wire !== wire) return;
    this.#wire = undefined;
    this.#credit?.forget();
    this.#ask();
  }

  /** Of what was asked for with this wire. */
  answered(request: ReceivedRequest, answer: Answer, wire: SessionWire): void {
    if (this.#isOver || this.#wire !== wire) {
      request.finish({ code: GONE, sizeBytes: 0 });
      return;
    }
    if (answer.kind !== 'Watch') {
      const status = statusOfRefusal(request, answer) ?? NO_WATCH;
      request.finish({ code: status.code, sizeBytes: 0 });
      this.#end(status);
      return;
    }
    this.#request = request as AuthenticatedRequest; // It has crossed the filters.
    flattenId(request);
    this.#open(request, answer, wire);
  }

  #open(request: ReceivedRequest, answer: WatchAnswer, wire: SessionWire): void {
    this.#plan = answer.plan;
    this.#isInState = answer.plan.start.kind !== 'after';
    this.#isResetDue = this.#isInState;
    if (!this.#isInState) this.#context.hasBegun(this);
    wire.follow(answer.plan.resource.watch);
    this.#shape = this.#context.sessions.overLive(wire, request, answer, this).shape;
  }

  #collectState(part: Pick<Collected<EventSink>, 'chunk' | 'events'>): void {
    const { start, applied } = this.#plan ?? {};
    const isPast = start?.kind === 'past';
    if (this.#isResetDue) this.#stateVersion = isPast ? start.version : applied?.current;
    const to = new StateSink(this, this.#stateVersion, this.#isResetDue, this.#credit);
    this.#isResetDue = false;
    this.#context.collect({ to, ...part, isOrdered: false });
  }

  #hasRoom(): boolean {
    if (this.#credit?.isSpent === true) {
      // Until the client has acked, others may begin.
      this.#context.hasBegun(this);
      return false;
    }
    return this.#context.hasRoomFor(this);
  }

  #tellArrived(arrival: Arrival | undefined): void {
    const arrived = this.#arrived;
    this.#arrived = undefined;
    for (const tell of arrived ?? []) tell(arrival);
  }

  #tellCaughtUp(version: ResourceVersion): void {
    const message = { type: 'caughtUp', id: this.id, revision: String(version) } as const;
    this.#context.sendOf(this, message);
  }

  #end(status: Status): void {
    if (this.#isOver) return;
    // What it has shown before is sent.
    this.#isOver = true;
    this.#leave();
    this.#tellArrived(undefined);
    this.#context.ended(this, status);
  }

  #leave(): void {
    const wire = this.#wire;
    this.#wire = undefined;
    wire?.close();
  }
}

const NOTHING = Buffer.alloc(0);
const NO_EVENTS: EventsInChunk = { revisions: [], sizes: [] };
/** As nginx has it: the client does not hear this answer. */
const GONE = 499;
const NO_WATCH = badRequest('the path is none of a collection that can be watched');

/** Makes the frames of a state. */
class StateSink implements EventSink {
  readonly #of: ObjectSubscription;
  readonly #revision: string;
  readonly #isFirst: boolean;
  readonly #credit: LiveCredit | undefined;

  constructor(
    of: ObjectSubscription,
    version: ResourceVersion | undefined,
    isFirst: boolean,
    credit: LiveCredit | undefined,
  ) {
    this.#of = of;
    this.#revision = String(version ?? 0);
    this.#isFirst = isFirst;
    this.#credit = credit;
  }

  get isClosed(): boolean {
    return this.#of.isClosed;
  }

  headOf(_revision: ResourceVersion, count: number): Buffer {
    this.#credit?.sent(resourceVersion(Number(this.#revision)), count);
    const reset = this.#isFirst ? '"reset":true,' : '';
    const head = `{"type":"next","id":${JSON.stringify(this.#of.id)},"revision":"${this.#revision}"`;
    return Buffer.from(`${head},${reset}"initial":true,"events":[`);
  }
}

/** Node puts an id together of fourteen strings, which stay as long as no wire has written it. */
function flattenId(request: ReceivedRequest): void {
  const id = Buffer.from(request.auditID).toString();
  request.auditedAs(id);
  request.responseHeaders['Audit-Id'] = id;
}

/** The wire of one watch of a subscription, and of the request for it. There may be thousands. */
class SessionWire extends Asking implements WatchWire {
  readonly #of: ObjectSubscription;
  #session: WireListener | undefined;
  /** Most requests have nothing that waits for their end. */
  #gone: (() => void)[] | undefined;
  #view: WatchView | undefined;
  #isOpen = true;

  constructor(of: ObjectSubscription) {
    super();
    this.#of = of;
  }

  answer(request: ReceivedRequest, answer: Answer): void {
    this.#of.answered(request, answer, this);
  }

  whenGone(callback: () => void): void {
    if (this.#isOpen) (this.#gone ??= []).push(callback);
    else callback();
  }

  write(chunk: Buffer): boolean {
    return !this.#isOpen || this.#of.write(chunk);
  }

  end(): void {
    this.close();
    this.#of.sessionEnded(this);
  }

  listen(session: WireListener): void {
    if (this.#isOpen) this.#session = session;
    else session.closed();
  }

  /** Has the view be followed until the wire is closed. */
  follow(view: WatchView): void {
    if (!this.#isOpen) return;
    this.#view = view;
    this.#of.follow(view);
  }

  drained(): void {
    this.#session?.drained();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#view !== undefined) this.#of.leave(this.#view);
    const [session, gone] = [this.#session, this.#gone];
    this.#session = undefined;
    this.#gone = undefined;
    session?.closed();
    for (const callback of gone ?? []) callback();
  }
}
