/** What a connection knows of its subscriptions, whatever they show, and they of it. */
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import type { LiveWindow, ServerMessage } from '../../api/live/live-messages.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { Status } from '../../api/meta/status.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { WatchView } from '../../projections/watch/watch-view.ts';
import type { WatchSessions } from '../watch/watch-sessions.ts';
import type { Collected } from './live-order.ts';
import type { LiveRequests } from './live-request.ts';
import type { OutgoingMessage } from './live-wire.ts';
import type { SharedCells } from './window/shared-cells.ts';

/** One subscription of a connection. Nothing of it is sent behind {@link close}. */
export interface Subscription {
  readonly id: string;
  /** Asks for what it is to show. Called once, when it has its turn. */
  begin(): void;
  /** The wire has room again. Only after it was told that there is none. */
  resume(): void;
  /** The client has worked off a frame. */
  ack(revision: number): void;
  /** Shows another window; false: it has none. */
  show(window: LiveWindow): boolean;
  /** The request that it stands for, once that is answered; by it the right is asked for again. */
  readonly request: AuthenticatedRequest | undefined;
  /** Asks anew, and goes on where it is. */
  askAgain(): void;
  /** Whether it is shown changes, and has not been shown all that there are. Left out: it is not. */
  readonly isBehind?: boolean;
  /** Of the control plane whose changes it is shown; left out: it is shown none. */
  readonly applied?: AppliedVersion | undefined;
  /** What moves through time with its connection; undefined: it does not. */
  readonly traveller?: Traveller | undefined;
  /** Ends it from this side. Safe to call twice. */
  close(): void;
}

/** A subscription to objects that has no moment of its own. */
export interface Traveller {
  /** `/forks/NAME`, or '' for the main control plane. */
  readonly plane: string;
  /** To a version or a time; undefined: back to now. Resolves when that is shown; undefined: it has ended. */
  moveTo(at: string | undefined): Promise<Arrival | undefined>;
  /** Runs forward to a time, in milliseconds since 1970. Only from a moment. */
  runTo(time: number): Promise<Arrival | undefined>;
}

/** Where a subscription has arrived. */
export interface Arrival {
  readonly version: ResourceVersion;
  /** Milliseconds since 1970; undefined: now. */
  readonly time: number | undefined;
}

/** What subscriptions need of their connection; one for all of them. */
export interface LiveContext {
  readonly clock: Clock;
  readonly sessions: WatchSessions;
  readonly requests: LiveRequests;
  /** What windows have read, of all connections. */
  readonly cells: SharedCells;
  /** To which the connection has moved: what begins now begins there; undefined: now. */
  readonly moment: string | undefined;
  /** Takes what a subscription has to send; it goes out in order with that of others. */
  collect(one: Collected<EventSink>): void;
  /** Sends behind what was collected until now. */
  sendOf(subscription: Subscription, message: ServerMessage): void;
  /** The same of a message that is made already. */
  sendMadeOf(subscription: Subscription, message: OutgoingMessage): void;
  /** Whether more may be collected; where not, the subscription is told by `resume`. */
  hasRoomFor(subscription: Subscription): boolean;
  /** What views gather is shown now, so that nothing older comes behind what is sent next. */
  showGathered(): void;
  /** What that view gathers is among it, until that is taken back by {@link leave}. */
  follow(view: WatchView): void;
  leave(view: WatchView): void;
  /** It has sent what it begins with, and the next may begin. Safe to call twice. */
  hasBegun(subscription: Subscription): void;
  /** It is over: with a Status, or as it should. */
  ended(subscription: Subscription, status?: Status): void;
}

/** Where frames are made of collected events. */
export interface EventSink {
  /** The frame up to its events, which goes out now. */
  headOf(revision: ResourceVersion, count: number): Buffer;
  /** Whether nothing of it may be sent any more. */
  readonly isClosed: boolean;
  /** Sent in place of a frame of events. */
  readonly message?: OutgoingMessage;
}
