/**
 * One client's connection: its subscriptions, what it says, and what it is sent, whatever wire it came by.
 *
 * What subscriptions have to send is collected for some milliseconds and then put in order. What is
 * collected is held by reference, and shared with every other client that sees the same; where the
 * client does not take it, nothing more is collected, and its subscriptions fall behind.
 */
import { parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject } from '../../api/json/json.ts';
import { ownValue } from '../../api/json/own-property.ts';
import { LIVE_CLOSE, LIVE_LIMITS } from '../../api/live/live-limits.ts';
import {
  CLIENT_MESSAGES,
  type ClientMessage,
  type LiveWindow,
  type ServerMessage,
  type SubscribeMessage,
} from '../../api/live/live-messages.ts';
import { problemOf } from '../../api/live/message-schema.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { badRequest, type Status, tooManyRequests } from '../../api/meta/status.ts';
import type { WatchView } from '../../projections/watch/watch-view.ts';
import type { WatchSessions } from '../watch/watch-sessions.ts';
import { inOrder, type Collected } from './live-order.ts';
import type { LiveRequests } from './live-request.ts';
import type { EventSink, LiveContext, Subscription } from './live-subscription.ts';
import { outgoing, type LiveWire, type OutgoingMessage } from './live-wire.ts';
import { LiveTravel } from './live-travel.ts';
import { newSubscription } from './new-subscription.ts';
import { TOO_MANY_WINDOWS, windowCount } from './window-subscription.ts';
import type { SharedCells } from './window/shared-cells.ts';

export interface ConnectionParts {
  readonly clock: Clock;
  readonly sessions: WatchSessions;
  readonly requests: LiveRequests;
  readonly cells: SharedCells;
  readonly wire: LiveWire;
  /** Has the views show now what they gather. */
  readonly showGathered: () => void;
  /** Has the view be one of those, until it is left as often as it was followed. */
  readonly follow: (view: WatchView) => void;
  readonly leave: (view: WatchView) => void;
  /** Called once, when nothing is left of it. */
  readonly ended: () => void;
}

/** How long what views show is collected, so that it can be sorted. */
const GATHER_MS = 5;
/** Collected beyond this, nothing more is asked for. */
const COLLECTED_BYTES_MAX = 1024 * 1024;
/** So many send what they begin with at a time: each may hold some of it. */
const BEGINNING_MAX = 8;

export class LiveConnection implements LiveContext {
  readonly clock: Clock;
  readonly sessions: WatchSessions;
  readonly requests: LiveRequests;
  readonly cells: SharedCells;
  readonly #parts: ConnectionParts;
  readonly #subscriptions = new Map<string, Subscription>();
  /** Those that wait for room. */
  readonly #waiting = new Set<Subscription>();
  readonly #queue = new Set<Subscription>();
  readonly #beginning = new Set<Subscription>();
  #collected: Collected<EventSink>[] = [];
  #collectedBytes = 0;
  #isFlushDue = false;
  readonly #travel: LiveTravel;
  #isEnded = false;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.sessions = parts.sessions;
    this.requests = parts.requests;
    this.cells = parts.cells;
    this.#travel = new LiveTravel(this);
  }

  get moment(): string | undefined {
    return this.#travel.moment;
  }

  get subscriptions(): ReadonlyMap<string, Subscription> {
    return this.#subscriptions;
  }

  /** A message of the client, as text. */
  receive(text: string): void {
    if (this.#isEnded) return;
    const message = messageIn(text);
    if (typeof message === 'string') {
      this.end(LIVE_CLOSE.malformed, message);
      return;
    }
    const { type, value } = message;
    const problem = problemOf(CLIENT_MESSAGES[type], value);
    if (problem === undefined) this.#obey(value as ClientMessage); // Its schema has just said so.
    else this.#refuse(value, badRequest(`${type}: ${problem}`));
  }

  subscribe(message: SubscribeMessage): void {
    const { id } = message;
    if (this.#subscriptions.has(id)) {
      this.end(LIVE_CLOSE.idInUse, `there is a subscription ${JSON.stringify(id)} already`);
      return;
    }
    if (this.#subscriptions.size >= LIVE_LIMITS.subscriptionsMax) {
      const most = String(LIVE_LIMITS.subscriptionsMax);
      const status = tooManyRequests(`a socket has at most ${most} subscriptions`, 1);
      this.send({ type: 'error', id, status });
      return;
    }
    if (
      message.window !== undefined &&
      windowCount(this.#subscriptions.values()) >= LIVE_LIMITS.windowsMax
    ) {
      this.send({ type: 'error', id, status: tooManyRequests(TOO_MANY_WINDOWS, 1) });
      return;
    }
    const made = newSubscription(this, message);
    if ('refusal' in made) {
      this.send({ type: 'error', id, status: made.refusal });
      return;
    }
    this.#subscriptions.set(id, made);
    this.#queue.add(made);
    this.#beginNext();
  }

  send(message: ServerMessage): void {
    this.#send(outgoing(message));
  }

  sendOf(subscription: Subscription, message: ServerMessage): void {
    if (this.#subscriptions.get(subscription.id) === subscription) this.send(message);
  }

  sendMadeOf(subscription: Subscription, message: OutgoingMessage): void {
    if (this.#subscriptions.get(subscription.id) === subscription) this.#send(message);
  }

  collect(one: Collected<EventSink>): void {
    if (this.#isEnded) return;
    this.#collected.push(one);
    this.#collectedBytes += one.chunk.length;
    this.#flushSoon();
  }

  hasRoomFor(subscription: Subscription): boolean {
    if (!this.#isFull) return true;
    this.#waiting.add(subscription);
    return false;
  }

  showGathered(): void {
    this.#parts.showGathered();
  }

  follow(view: WatchView): void {
    this.#parts.follow(view);
  }

  leave(view: WatchView): void {
    this.#parts.leave(view);
  }

  hasBegun(subscription: Subscription): void {
    if (this.#beginning.delete(subscription)) this.#beginNext();
  }

  ended(subscription: Subscription, status?: Status): void {
    const { id } = subscription;
    if (!this.#forget(subscription)) return;
    this.send(status === undefined ? { type: 'complete', id } : { type: 'error', id, status });
  }

  /** The client has taken what it was sent. */
  drained(): void {
    this.#flush();
  }

  /** Ends everything from this side. */
  end(code: number, reason: string): void {
    if (this.#isEnded) return;
    this.#flush();
    this.closed();
    this.#parts.wire.close(code, reason);
  }

  /** The wire is gone. Safe to call twice. */
  closed(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#travel.stop();
    for (const subscription of [...this.#subscriptions.values()]) this.#forget(subscription);
    this.#collected = [];
    this.#parts.ended();
  }

  #send(message: OutgoingMessage): void {
    if (this.#isEnded) return;
    this.#collected.push(standing(message));
    this.#flushSoon();
  }

  get #isFull(): boolean {
    return this.#parts.wire.isFull || this.#collectedBytes > COLLECTED_BYTES_MAX;
  }

  #obey(message: ClientMessage): void {
    switch (message.type) {
      case 'subscribe':
        this.subscribe(message);
        break;
      case 'unsubscribe':
        this.#unsubscribe(message.id);
        break;
      case 'ack':
        this.#ack(message.id, message.revision);
        break;
      case 'window':
        this.#show(message.id, message.window);
        break;
      case 'seek':
        this.#travel.seek(message);
        break;
      case 'ping':
        this.send({ type: 'pong' });
    }
  }

  /** As of one that has ended by itself: the client may not have heard of that when it scrolled. */
  #show(id: string, window: LiveWindow): void {
    if (this.#subscriptions.get(id)?.show(window) !== false) return;
    this.send({ type: 'error', status: badRequest('window: the subscription has none') });
  }

  #ack(id: string, revision: string): void {
    if (DIGITS.test(revision)) this.#subscriptions.get(id)?.ack(Number(revision));
    else
      this.send({ type: 'error', status: badRequest('ack: revision must be a resourceVersion') });
  }

  /** A subscription that has just ended by itself is none any more, and that was told. */
  #unsubscribe(id: string): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription !== undefined) this.ended(subscription);
  }

  /** By its id only where the client waits for an answer under it. */
  #refuse(message: JsonObject, status: Status): void {
    const id = ownValue(message, 'id');
    const isAwaited =
      ownValue(message, 'type') === 'subscribe' &&
      typeof id === 'string' &&
      id.length <= LIVE_LIMITS.idCharactersMax &&
      !this.#subscriptions.has(id);
    this.send({ type: 'error', ...(isAwaited ? { id } : {}), status });
  }

  #forget(subscription: Subscription): boolean {
    if (this.#subscriptions.get(subscription.id) !== subscription) return false;
    this.#subscriptions.delete(subscription.id);
    this.#waiting.delete(subscription);
    this.#queue.delete(subscription);
    subscription.close();
    if (!this.#isEnded) this.hasBegun(subscription);
    return true;
  }

  #beginNext(): void {
    for (const subscription of this.#queue) {
      if (this.#beginning.size >= BEGINNING_MAX || this.#isEnded) return;
      this.#queue.delete(subscription);
      this.#beginning.add(subscription);
      subscription.begin();
    }
  }

  #flushSoon(): void {
    if (this.#isFlushDue || this.#parts.wire.isFull) return;
    this.#isFlushDue = true;
    this.clock.after(this.#collectedBytes > COLLECTED_BYTES_MAX ? 0 : GATHER_MS, () => {
      this.#isFlushDue = false;
      this.showGathered();
      this.#tellPlace(this.#flush());
    });
  }

  /** @returns whether all was sent. */
  #flush(): boolean {
    const { wire } = this.#parts;
    if (this.#isEnded || wire.isFull) return false;
    const collected = this.#collected;
    this.#collected = [];
    this.#collectedBytes = 0;
    for (const { of, bytes, count, revision } of inOrder(collected)) {
      const { to } = of;
      if (to.isClosed) continue;
      if (to.message !== undefined) wire.send(to.message);
      else wire.send({ type: 'next', parts: [to.headOf(revision, count), bytes, EVENTS_END] });
    }
    wire.flush();
    this.#resumeWaiting();
    return this.#collected.length === 0;
  }

  /** What views have gathered was shown, so that live subscriptions have everything up to now. */
  #tellPlace(isAllSent: boolean): void {
    const { wire } = this.#parts;
    if (!isAllSent || wire.reached === undefined) return;
    const following = [...this.#subscriptions.values()].filter(
      ({ applied }) => applied !== undefined,
    );
    const planes = new Set(following.map(({ applied }) => applied));
    const [plane] = planes;
    if (planes.size !== 1 || plane === undefined) return;
    if (following.some(({ isBehind }) => isBehind === true)) return;
    if (this.#queue.size + this.#beginning.size > 0) return;
    wire.reached(String(plane.current));
    wire.flush();
  }

  #resumeWaiting(): void {
    for (const subscription of [...this.#waiting]) {
      if (this.#isFull || this.#isEnded) return;
      if (this.#waiting.delete(subscription)) subscription.resume();
    }
  }
}

const DIGITS = /^\d{1,16}$/;
const EVENTS_END = Buffer.from(']}');
const NOTHING = Buffer.alloc(0);
const NO_EVENTS = { revisions: [], sizes: [] };

/** A message that stands where it was sent, and parts what is sorted. */
function standing(message: OutgoingMessage): Collected<EventSink> {
  const to: EventSink = { isClosed: false, message, headOf: () => NOTHING };
  return { to, chunk: NOTHING, events: NO_EVENTS, isOrdered: false };
}

/** Of a type that there is; what else it says is not looked at. */
interface NamedMessage {
  readonly type: ClientMessage['type'];
  readonly value: JsonObject;
}

/** What is wrong with the text, or an object with a type that there is. */
function messageIn(text: string): NamedMessage | string {
  let value;
  try {
    value = parseJson(text);
  } catch {
    return 'the message is not JSON';
  }
  if (!isJsonObject(value)) return 'the message is not an object';
  const type = ownValue(value, 'type');
  if (typeof type !== 'string' || !Object.hasOwn(CLIENT_MESSAGES, type)) {
    return 'the message has no type that there is';
  }
  return { type: type as ClientMessage['type'], value }; // As the line above says.
}
