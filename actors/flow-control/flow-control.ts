/**
 * Which request is served now, which waits and which is turned away: API Priority and Fairness of one server.
 *
 * No request has a timer. One sweep looks through those that wait, ten times a second and only while
 * there are any.
 *
 * In Kubernetes: configController.Handle, apiserver/pkg/util/flowcontrol.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { FollowedObjects } from '../../projections/followed-objects.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { Ticket } from './fair-queue.ts';
import { FlowConfig, type LeveledFlow } from './flow-config.ts';
import type { FlowFigures } from './flow-figures.ts';
import {
  type Estimate,
  estimateWork,
  ObjectSizes,
  type WorkEstimatorParts,
} from './work-estimator.ts';
import type { PriorityLevel } from './priority-level.ts';
import { maxSeatsOf } from './seats.ts';
import { ThreadShare, type ThreadShareParts } from './thread-share.ts';
import { WatchCounts } from './watch-counts.ts';

export interface FlowControlParts {
  readonly followed: FollowedObjects;
  readonly objects: ObjectView;
  readonly clock: Clock;
  /** What the server may serve at once, apart from exempt requests. */
  readonly serverSeats: number;
  /** Of requests that have no deadline: how long they may wait is a quarter of this. */
  readonly requestTimeoutMs: number;
  /** The server's own thread. */
  readonly thread: ThreadShareParts;
}

/** What became of a request, and what it holds until it ends. */
export interface Turn {
  readonly ticket: Ticket;
  /** The flow schema, the level and the flow that the request belongs to. */
  readonly flow: LeveledFlow;
}

/** Told of a request that had to wait. */
export interface TurnListener {
  /** Called once, when seats are free for it. */
  readonly letIn: (turn: Turn) => void;
  /** It has waited too long. Not told of one whose client has gone. */
  readonly turnAway: (turn: Turn) => void;
}

const ADJUST_EVERY_MS = 10_000;
const SWEEP_EVERY_MS = 100;
const WAIT_MAX_MS = 60_000;
const WAIT_PART = 4;
const MS_PER_SECOND = 1_000;

export class FlowControl {
  readonly config: FlowConfig;
  readonly watches = new WatchCounts();
  /** Among those that have their seats. */
  readonly thread: ThreadShare<LeveledFlow>;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #estimator: WorkEstimatorParts;
  readonly #waiting = new Map<Ticket, WaitingTurn>();
  /** One for all tickets, of which thousands are held by watches. */
  readonly #letIn = (ticket: Ticket): void => {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    waiting?.listener.letIn(waiting.turn);
  };
  #isSweepDue = false;
  #stop: () => void = nothing;

  constructor(parts: FlowControlParts) {
    const sizes = new ObjectSizes(parts.objects, parts.clock);
    this.config = new FlowConfig(parts);
    this.thread = new ThreadShare(parts.thread);
    this.#clock = parts.clock;
    this.#waitMs = parts.requestTimeoutMs / WAIT_PART;
    this.#estimator = {
      statsOf: sizes.of.bind(sizes),
      watchesOf: this.watches.of.bind(this.watches),
    };
  }

  /** Shares seats out among the levels from time to time, until `stop`. */
  start(): void {
    this.#stop = this.#clock.after(ADJUST_EVERY_MS, () => {
      this.config.adjust();
      this.start();
    });
  }

  stop(): void {
    this.#stop();
  }

  /**
   * Has the request served, wait, or turned away: `ticket.state` says which. A request that is served or
   * waits must come to an end by {@link end}.
   */
  begin(request: AuthenticatedRequest, listener: TurnListener): Turn {
    const flow = this.config.flowOf(request.user, request.info);
    const { level, figures } = flow;
    const { work, watches }: Estimate = estimateWork(this.#estimator, {
      info: request.info,
      query: request.query,
      seatsMax: level.seatsMax,
    });
    figures.estimatedSeats.observe(maxSeatsOf(work));
    if (watches !== undefined) figures.watchCounts.observe(watches);
    const ticket = new Ticket({ flow, work, letIn: this.#letIn, request });
    const turn = { ticket, flow };
    level.queues.start(ticket, flow.hand);
    if (ticket.state === 'waiting') this.#wait(turn, listener, request);
    else if (ticket.state === 'rejected') this.#turnedAway(flow);
    return turn;
  }

  /** The request is through, or its client does not wait any longer. Nothing happens a second time. */
  end({ ticket, flow }: Turn): void {
    const { level, figures } = flow;
    if (ticket.state === 'waiting') {
      this.#waiting.delete(ticket);
      this.#cancel(ticket, flow, 'cancelled');
    } else if (ticket.state === 'executing') {
      const tookSeconds = (this.#clock.now() - ticket.startedAt) / MS_PER_SECOND;
      const isWatch = ticket.request?.info.verb === 'watch';
      (isWatch ? figures.watchSeconds : figures.regularSeconds).observe(tookSeconds);
      level.queues.finish(ticket);
    }
    if (level.isQuiescing) this.config.reap(level);
  }

  /** In how many seconds a client that was turned away should come again. */
  retryAfterOf({ flow }: Turn): number {
    return flow.level.dropped.retryAfter;
  }

  get levels(): Iterable<PriorityLevel> {
    return this.config.levels;
  }

  get figures(): Iterable<FlowFigures> {
    return this.config.figures;
  }

  /** Requests that wait for seats now. */
  get waiting(): Iterable<Ticket> {
    return this.#waiting.keys();
  }

  #wait(turn: Turn, listener: TurnListener, { deadline, receivedAt }: AuthenticatedRequest): void {
    const allowedMs = Number.isFinite(deadline)
      ? (deadline - receivedAt) / WAIT_PART
      : this.#waitMs;
    const { ticket } = turn;
    ticket.waitsUntil = receivedAt + Math.min(allowedMs, WAIT_MAX_MS);
    this.#waiting.set(ticket, { turn, listener });
    this.#sweepLater();
  }

  #sweepLater(): void {
    if (this.#isSweepDue) return;
    this.#isSweepDue = true;
    this.#clock.after(SWEEP_EVERY_MS, () => {
      this.#isSweepDue = false;
      this.#sweep();
    });
  }

  #sweep(): void {
    const now = this.#clock.now();
    for (const [ticket, { turn, listener }] of this.#waiting) {
      if (ticket.waitsUntil > now) continue;
      this.#waiting.delete(ticket);
      this.#cancel(ticket, turn.flow, 'time-out');
      this.#turnedAway(turn.flow);
      listener.turnAway(turn);
    }
    if (this.#waiting.size > 0) this.#sweepLater();
  }

  #cancel(ticket: Ticket, { level, figures }: LeveledFlow, reason: 'time-out' | 'cancelled'): void {
    level.queues.cancel(ticket, reason);
    figures.vainWaitSeconds.observe((this.#clock.now() - ticket.arrivedAt) / MS_PER_SECOND);
  }

  #turnedAway({ level }: LeveledFlow): void {
    level.dropped.record(this.#clock.now());
  }
}

interface WaitingTurn {
  readonly turn: Turn;
  readonly listener: TurnListener;
}

function nothing(): void {
  // It was not started.
}
