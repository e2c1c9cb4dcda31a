/**
 * The queues of one priority level, and the seats that their requests are served on. A virtual clock
 * runs as fast as every busy queue would be served if all were served side by side; the next seat
 * goes to the queue whose oldest request would be through first on it.
 *
 * The surprise: a request that is let in is told at the very end of each step, when all numbers are right again,
 * because a request that is told may be through at once and give its seats back.
 *
 * In Kubernetes: queueSet, apiserver/pkg/util/flowcontrol/fairqueuing/queueset.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { UnderWay } from '../request/under-way.ts';
import { FairQueue, SERVICE_MS, type Ticket } from './fair-queue.ts';
import type { RejectReason } from './flow-figures.ts';
import { msPerSeat, type SeatDemand, seatWork } from './seats.ts';

export interface QueuingConfig {
  /** 0: a request that finds no seat is rejected; -1: every request finds one. */
  readonly queues: number;
  /** How many may wait in a queue when no seat is free. */
  readonly queueLength: number;
  /** Of how many queues a flow has the choice. */
  readonly handSize: number;
}

/** Beyond this, all that the virtual clock shows is put back, long before sums stop being exact. */
const R_MAX = 2 ** 51;
const R_STEP = 2 ** 50;
const MS_PER_SECOND = 1_000;

export class FairQueues {
  /** Totals since the start. */
  dispatched = 0;
  rejected = 0;
  cancelled = 0;
  epochs = 0;
  seatsInUse = 0;
  seatsWaiting = 0;
  waiting = 0;
  currentR = 0;
  /** Where the virtual clock stood when the last request left its queue, and when that was due. */
  dispatchR = 0;
  latestS = 0;
  readonly queues: FairQueue[] = [];
  readonly executing = new UnderWay<Ticket>();
  readonly #clock: Clock;
  readonly #demand: SeatDemand;
  #config: QueuingConfig = { queues: 0, queueLength: 0, handSize: 0 };
  #seats = 0;
  #lastTime: number;
  #lastQueue = 0;
  #enqueued = 0;
  #activeQueues = 0;
  /** Of those in use, the ones of requests that came through a queue. */
  #queueSeats = 0;
  #arriving: Ticket | undefined;
  #letIn: Ticket[] = [];

  constructor(clock: Clock, demand: SeatDemand) {
    this.#clock = clock;
    this.#demand = demand;
    this.#lastTime = clock.now();
  }

  /** How many seats there are just now. */
  get seats(): number {
    return this.#seats;
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.executing.size === 0;
  }

  /** Queues that are too many go as they run empty. */
  configure(config: QueuingConfig, seats: number): void {
    this.#sync();
    while (this.queues.length < config.queues) this.queues.push(new FairQueue(this.queues.length));
    this.#config = config;
    this.#seats = seats;
    this.#dispatchAll();
    this.#announce();
  }

  /**
   * Gives the request a seat, has it wait, or rejects it; `ticket.state` says which. One that waits
   * is told by `letIn`.
   *
   * @param hand the queues it may wait in, none where the level has none.
   */
  start(ticket: Ticket, hand: readonly number[]): void {
    const now = this.#sync();
    ticket.arrivedAt = now;
    ticket.arrivalR = this.currentR;
    if (this.#config.queues < 1) {
      if (this.#fits(ticket.seats)) this.#seat(ticket, undefined, now);
      else this.#reject(ticket, 'concurrency-limit');
      return;
    }
    const queue = this.#choose(hand);
    if (this.seatsInUse >= this.#seats && queue.waiting >= this.#config.queueLength) {
      this.#reject(ticket, 'queue-full');
    } else {
      this.#enqueue(ticket, queue, now);
    }
    queue.bound();
    if (ticket.state === 'rejected') return;
    this.#arriving = ticket;
    this.#dispatchAll();
    this.#arriving = undefined;
    this.#announce();
  }

  /** Gives the seats of a request back that was let in. Nothing happens the second time. */
  finish(ticket: Ticket): void {
    if (ticket.state !== 'executing') return;
    const now = this.#sync();
    ticket.state = 'through';
    this.executing.remove(ticket.place, ticket);
    ticket.flow.figures.executing -= 1;
    const { queue } = ticket;
    if (queue !== undefined) {
      queue.executing -= 1;
      if (!queue.isActive) this.#activeQueues -= 1;
      // It was charged for the usual time before it began, and is now for what it took.
      const tookMs = now - ticket.startedAt;
      queue.nextDispatchR -= seatWork(ticket.initialSeats, SERVICE_MS - tookMs);
      queue.bound();
    }
    if (ticket.lingerMs > 0) this.#linger(ticket);
    else this.#release(ticket, now);
    this.#dispatchAll();
    this.#announce();
  }

  /** Takes a request out of its queue that does not wait any longer. */
  cancel(ticket: Ticket, reason: 'time-out' | 'cancelled'): void {
    const { queue } = ticket;
    if (ticket.state !== 'waiting' || queue === undefined) return;
    const now = this.#sync();
    this.#leaveQueue(ticket, queue);
    if (!queue.isActive) this.#activeQueues -= 1;
    queue.bound();
    this.cancelled += 1;
    this.#reject(ticket, reason);
    this.#demand.set(this.seatsInUse + this.seatsWaiting, now);
  }

  /** Moves the virtual clock on. It must be right before anything else changes. */
  #sync(): number {
    const now = this.#clock.now();
    const passedMs = now - this.#lastTime;
    this.#lastTime = now;
    if (passedMs <= 0 || this.#activeQueues === 0) return now;
    const wanted = this.#queueSeats + this.seatsWaiting;
    const rate = Math.min(wanted, this.#seats) / this.#activeQueues;
    this.currentR += seatWork(rate, passedMs);
    if (this.currentR > R_MAX) this.#putBack();
    return now;
  }

  #putBack(): void {
    this.currentR -= R_STEP;
    this.epochs += 1;
    for (const queue of this.queues) {
      queue.nextDispatchR = queue.isActive ? queue.nextDispatchR - R_STEP : 0;
      for (const ticket of queue.inOrder()) ticket.arrivalR -= R_STEP;
    }
  }

  /** Of the hand, the queue with the least work; not always looked at from the same end. */
  #choose(hand: readonly number[]): FairQueue {
    const offset = this.#enqueued % hand.length;
    this.#enqueued += 1;
    let best: FairQueue | undefined;
    for (let at = 0; at < hand.length; at += 1) {
      const queue = this.queues[hand[(offset + at) % hand.length] ?? 0];
      if (queue !== undefined && queue.workWaiting < (best?.workWaiting ?? Infinity)) best = queue;
    }
    if (best === undefined) throw new Error('a hand must be dealt from the queues there are');
    return best;
  }

  #enqueue(ticket: Ticket, queue: FairQueue, now: number): void {
    if (!queue.isActive) {
      queue.nextDispatchR = this.currentR;
      this.#activeQueues += 1;
    }
    ticket.state = 'waiting';
    ticket.queue = queue;
    queue.add(ticket);
    this.waiting += 1;
    this.seatsWaiting += ticket.seats;
    const { figures } = ticket.flow;
    figures.waiting += 1;
    figures.waitingSeats += ticket.seats;
    figures.queueLengths.observe(queue.waiting);
    this.#demand.set(this.seatsInUse + this.seatsWaiting, now);
  }

  #leaveQueue(ticket: Ticket, queue: FairQueue): void {
    queue.remove(ticket);
    this.waiting -= 1;
    this.seatsWaiting -= ticket.seats;
    const { figures } = ticket.flow;
    figures.waiting -= 1;
    figures.waitingSeats -= ticket.seats;
  }

  #reject(ticket: Ticket, reason: RejectReason): void {
    ticket.state = 'rejected';
    this.rejected += 1;
    ticket.flow.figures.rejected[reason] += 1;
  }

  #seat(ticket: Ticket, queue: FairQueue | undefined, now: number): void {
    ticket.state = 'executing';
    ticket.startedAt = now;
    ticket.place = this.executing.add(ticket);
    this.seatsInUse += ticket.seats;
    this.dispatched += 1;
    if (queue !== undefined) {
      queue.executing += 1;
      queue.seatsInUse += ticket.seats;
      this.#queueSeats += ticket.seats;
    }
    const { figures } = ticket.flow;
    figures.dispatched += 1;
    figures.executing += 1;
    figures.executingSeats += ticket.seats;
    const waited = ticket.arrivedAt === now ? 0 : (now - ticket.arrivedAt) / MS_PER_SECOND;
    if (this.#config.queues >= 0) figures.waitSeconds.observe(waited);
    this.#demand.set(this.seatsInUse + this.seatsWaiting, now);
  }

  #fits(seats: number): boolean {
    if (this.#config.queues < 0) return true;
    // What is wider than the level is served alone.
    if (seats > this.#seats) return this.executing.size === 0;
    return this.seatsInUse + seats <= this.#seats;
  }

  #dispatchAll(): void {
    while (this.waiting > 0 && this.seatsInUse < this.#seats) {
      if (!this.#dispatchNext()) return;
    }
  }

  #dispatchNext(): boolean {
    const queue = this.#nextQueue();
    const ticket = queue?.oldest;
    if (queue === undefined || ticket === undefined) return false;
    if (!this.#fits(ticket.seats)) {
      ticket.flow.figures.tooWide += 1;
      return false;
    }
    this.#lastQueue = queue.index;
    this.dispatchR = this.currentR;
    this.latestS = queue.nextDispatchR;
    this.#leaveQueue(ticket, queue);
    this.#narrow(ticket);
    this.#seat(ticket, queue, this.#lastTime);
    queue.nextDispatchR += ticket.totalWork;
    queue.bound();
    if (ticket !== this.#arriving) this.#letIn.push(ticket);
    return true;
  }

  /** The queue whose oldest request would be through first; of equals, the next behind the last one. */
  #nextQueue(): FairQueue | undefined {
    const { length } = this.queues;
    let best: FairQueue | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (let step = 1; step <= length; step += 1) {
      const queue = this.queues[(this.#lastQueue + step) % length];
      const oldest = queue?.oldest;
      if (queue === undefined || oldest === undefined) continue;
      const through = queue.nextDispatchR + oldest.totalWork;
      if (through < earliest) {
        earliest = through;
        best = queue;
      }
      // Mostly one request at a time is looking for a seat, and it is found.
      if (queue.waiting === this.waiting) break;
    }
    return best;
  }

  /** Final seats that the level does not have are kept narrower, for longer. */
  #narrow(ticket: Ticket): void {
    if (ticket.finalSeats <= this.#seats) return;
    ticket.finalSeats = this.#seats;
    ticket.seats = Math.max(ticket.initialSeats, ticket.finalSeats);
    ticket.lingerMs = msPerSeat(ticket.finalWork, this.#seats);
  }

  #linger(ticket: Ticket): void {
    this.#clock.after(ticket.lingerMs, () => {
      this.#release(ticket, this.#sync());
      this.#dispatchAll();
      this.#announce();
    });
  }

  #release(ticket: Ticket, now: number): void {
    const { queue, seats } = ticket;
    this.seatsInUse -= seats;
    ticket.flow.figures.executingSeats -= seats;
    this.#demand.set(this.seatsInUse + this.seatsWaiting, now);
    if (queue === undefined) return;
    queue.seatsInUse -= seats;
    this.#queueSeats -= seats;
    if (this.queues.length > this.#config.queues && !queue.isActive) this.#drop(queue);
  }

  #drop(queue: FairQueue): void {
    // Requests that linger longer than others may find that their queue has gone.
    if (this.queues[queue.index] !== queue) return;
    this.queues.splice(queue.index, 1);
    for (const behind of this.queues.slice(queue.index)) behind.index -= 1;
    if (this.#lastQueue >= queue.index) this.#lastQueue -= 1;
  }

  #announce(): void {
    while (this.#letIn.length > 0) {
      const tickets = this.#letIn;
      this.#letIn = [];
      for (const ticket of tickets) ticket.letIn(ticket);
    }
  }
}
