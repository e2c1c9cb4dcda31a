/**
 * One queue of a priority level, and what lies in it: tickets, one for each request, which say how
 * much it takes and whether it waits, sits or is through. Tickets that wait are the links of a chain,
 * so that one leaves from anywhere without looking.
 *
 * In Kubernetes: queue, request and fifo, apiserver/pkg/util/flowcontrol/fairqueuing/queueset.
 */
import type { AuthenticatedRequest } from '../request/request.ts';
import type { FlowFigures } from './flow-figures.ts';
import { maxSeatsOf, seatWork, type WorkEstimate } from './seats.ts';

/** For how long a request is taken to run before anybody knows. */
export const SERVICE_MS = 3;

/** Which flow a request belongs to. */
export interface Flow {
  readonly schema: string;
  /** '' where the flow schema tells no flows apart. */
  readonly distinguisher: string;
  readonly figures: FlowFigures;
}

export type TicketState = 'new' | 'waiting' | 'executing' | 'through' | 'rejected';

export interface TicketParts {
  readonly flow: Flow;
  readonly work: WorkEstimate;
  /** Told when a request that waited may go on. */
  readonly letIn: (ticket: Ticket) => void;
  /** Shown in dumps; undefined in tests. */
  readonly request?: AuthenticatedRequest;
}

export class Ticket {
  readonly flow: Flow;
  readonly letIn: (ticket: Ticket) => void;
  readonly request: AuthenticatedRequest | undefined;
  readonly initialSeats: number;
  readonly finalWork: number;
  readonly totalWork: number;
  /** What it sits on: the wider one of both phases. */
  seats: number;
  finalSeats: number;
  lingerMs: number;
  state: TicketState = 'new';
  /** Milliseconds since 1970, as the next ones. */
  arrivedAt = 0;
  startedAt = 0;
  /** When it has waited long enough. */
  waitsUntil = Number.POSITIVE_INFINITY;
  arrivalR = 0;
  queue: FairQueue | undefined = undefined;
  /** Among those that are served. */
  place = -1;
  next: Ticket | undefined = undefined;
  previous: Ticket | undefined = undefined;

  constructor({ flow, work, letIn, request }: TicketParts) {
    this.flow = flow;
    this.letIn = letIn;
    this.request = request;
    this.initialSeats = work.initialSeats;
    this.finalSeats = work.finalSeats;
    this.lingerMs = work.lingerMs;
    this.seats = maxSeatsOf(work);
    this.finalWork = work.finalSeats === 0 ? 0 : seatWork(work.finalSeats, work.lingerMs);
    this.totalWork = seatWork(work.initialSeats, SERVICE_MS) + this.finalWork;
  }
}

export class FairQueue {
  /** Its place among the queues of its level. */
  index: number;
  /** Where the virtual clock stands when the next request of this queue is due. */
  nextDispatchR = 0;
  /** Of requests that are being served, and those that linger. */
  seatsInUse = 0;
  executing = 0;
  waiting = 0;
  initialSeatsWaiting = 0;
  seatsWaiting = 0;
  workWaiting = 0;
  #oldest: Ticket | undefined;
  #newest: Ticket | undefined;

  constructor(index: number) {
    this.index = index;
  }

  get isActive(): boolean {
    return this.waiting > 0 || this.executing > 0;
  }

  get oldest(): Ticket | undefined {
    return this.#oldest;
  }

  add(ticket: Ticket): void {
    ticket.previous = this.#newest;
    if (this.#newest === undefined) this.#oldest = ticket;
    else this.#newest.next = ticket;
    this.#newest = ticket;
    this.waiting += 1;
    this.initialSeatsWaiting += ticket.initialSeats;
    this.seatsWaiting += ticket.seats;
    this.workWaiting += ticket.totalWork;
  }

  /** @param ticket waits in this queue. */
  remove(ticket: Ticket): void {
    const { next, previous } = ticket;
    if (previous === undefined) this.#oldest = next;
    else previous.next = next;
    if (next === undefined) this.#newest = previous;
    else next.previous = previous;
    ticket.next = undefined;
    ticket.previous = undefined;
    this.waiting -= 1;
    this.initialSeatsWaiting -= ticket.initialSeats;
    this.seatsWaiting -= ticket.seats;
    this.workWaiting -= ticket.totalWork;
  }

  *inOrder(): Generator<Ticket> {
    for (let ticket = this.#oldest; ticket !== undefined; ticket = ticket.next) yield ticket;
  }

  /** Nothing is due before it has arrived: a queue that could not use its share loses it. */
  bound(): void {
    const arrivalR = this.#oldest?.arrivalR ?? 0;
    if (this.#oldest !== undefined && this.nextDispatchR < arrivalR) this.nextDispatchR = arrivalR;
  }
}
