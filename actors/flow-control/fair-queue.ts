/**
 * One queue of a priority level, and what lies in it: tickets, one for each request, which say how
 * much it takes and whether it waits, sits or is through. Tickets that wait are the links of a chain,
 * so that one leaves from anywhere without looking.
 *
 * Each flow is dealt a hand of queues. Flows that share one queue rarely share all of their hand, so
 * a flow that fills its own queues leaves most others some that are free.
 *
 * In Kubernetes: queue, request and fifo, apiserver/pkg/util/flowcontrol/fairqueuing/queueset; Dealer,
 * apiserver/pkg/util/shufflesharding.
 */
import { createHash } from 'node:crypto';

import type { AuthenticatedRequest } from '../request/request.ts';
import type { FlowFigures } from './flow-figures.ts';
import { maxSeatsOf, seatWork, type WorkEstimate } from './seats.ts';

/** A hash must have a few bits more than are dealt, or the last cards come unevenly. */
const HASH_BITS_MAX = 60;
const DECK_MAX = 2 ** 26;

/** What is wrong with dealing so many cards of so many; undefined: nothing. */
export function dealingProblem(deckSize: number, handSize: number): string | undefined {
  const sizes = `deckSize ${String(deckSize)}`;
  const hand = `handSize ${String(handSize)}`;
  if (deckSize <= 0 || handSize <= 0) return `${sizes} or ${hand} is not positive`;
  if (handSize > deckSize) return `${hand} is greater than ${sizes}`;
  if (deckSize > DECK_MAX) return `${sizes} is impractically large`;
  if (Math.ceil(Math.log2(deckSize) * handSize) <= HASH_BITS_MAX) return undefined;
  return `required entropy bits of ${sizes} and ${hand} is greater than ${String(HASH_BITS_MAX)}`;
}

/** By what a flow is dealt: 64 bits. */
export function flowHash(flowSchema: string, distinguisher: string): bigint {
  const digest = createHash('sha256').update(flowSchema).update('\0').update(distinguisher);
  return digest.digest().readBigUInt64LE();
}

/** Different cards, each from 0 and below `deckSize`. */
export function dealHand(hash: bigint, deckSize: number, handSize: number): readonly number[] {
  const hand: number[] = [];
  const remainders: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt += 1) {
    const left = BigInt(deckSize - dealt);
    remainders.push(Number(rest % left));
    rest /= left;
  }
  for (const [dealt, remainder] of remainders.entries()) {
    let card = remainder;
    // The remainder counts among the cards that are left: each one taken before it is passed over.
    for (let before = dealt - 1; before >= 0; before -= 1) {
      if (card >= (remainders[before] ?? 0)) card += 1;
    }
    hand.push(card);
  }
  return hand;
}

/** For how long a request is taken to run before it is known. */
export const SERVICE_MS = 3;

/** Which flow a request belongs to. */
export interface Flow {
  readonly schema: string;
  /** '' where the flow schema tells no flows apart. */
  readonly distinguisher: string;
  readonly figures: FlowFigures;
}

type TicketState = 'new' | 'waiting' | 'executing' | 'through' | 'rejected';

interface TicketParts {
  readonly flow: Flow;
  readonly work: WorkEstimate;
  /** Told when a request that waited may go on. */
  readonly letIn: (ticket: Ticket) => void;
  /** Shown in dumps; undefined in tests. */
  readonly request?: AuthenticatedRequest;
}

/** One request in its priority level, from its arrival until its seats are free again. */
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
