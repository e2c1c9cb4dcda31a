/**
 * The one thread, shared out among the flows that have their seats.
 *
 * Seats bound how many requests are answered at once; here they are answered one after the other all
 * the same, in the order in which the event loop found them, so that forty lists of one user would
 * stand before the next user's get. Therefore a turn of the event loop lets in what its slice of time
 * has room for, and what is left waits for the next turns: a request that has not waited before comes first, and
 * the others by turns, flow by flow. Where there is time for all, nothing waits and nothing is kept.
 *
 * In Kubernetes there is no counterpart: its threads are Go's business.
 */

export interface ThreadShareParts {
  /** Milliseconds from anywhere, with fractions. */
  readonly now: () => number;
  /** Calls back once when the event loop has looked for what came meanwhile. */
  readonly nextTurn: (callback: () => void) => void;
}

/** Milliseconds in which requests are let in, of one turn: as much as a few small lists cost. */
const SLICE_MS = 1;
/**
 * What a seat beyond the first will cost, roughly: a list is let in within microseconds, and made and
 * encrypted later. So that is charged to the slice beforehand.
 */
const LATER_MS_PER_SEAT = 0.5;

interface Waiting {
  readonly seats: number;
  readonly letIn: () => void;
}

export class ThreadShare<Flow> {
  readonly #parts: ThreadShareParts;
  /** Flows that wait since less than a round, in the order of their coming. */
  readonly #fresh = new Map<Flow, Waiting[]>();
  /** Those that have been let in once and have more: the first of them is next. */
  readonly #others = new Map<Flow, Waiting[]>();
  #isTurn = false;
  #sliceEnd = 0;

  constructor(parts: ThreadShareParts) {
    this.#parts = parts;
  }

  /**
   * Begins a turn if there is none.
   *
   * @param seats how wide the request is.
   * @returns whether it may go on now; if not, it has to {@link wait}.
   */
  enter(seats: number): boolean {
    if (!this.#isTurn) this.#begin();
    const isFree = this.#fresh.size === 0 && this.#others.size === 0 && this.#isTimeLeft;
    if (isFree) this.#charge(seats);
    return isFree;
  }

  /** @param letIn called once, in one of the next turns. Must not throw. */
  wait(flow: Flow, seats: number, letIn: () => void): void {
    const waiting = this.#others.get(flow) ?? this.#fresh.get(flow);
    if (waiting === undefined) this.#fresh.set(flow, [{ seats, letIn }]);
    else waiting.push({ seats, letIn });
  }

  #begin(): void {
    this.#isTurn = true;
    this.#sliceEnd = this.#parts.now() + SLICE_MS;
    this.#parts.nextTurn(() => {
      this.#isTurn = false;
      if (this.#fresh.size > 0 || this.#others.size > 0) this.#turn();
    });
  }

  #turn(): void {
    this.#begin();
    // One of those that have waited longer is due in any case: newcomers never stand before them all.
    const isAnotherDue = this.#others.size > 0;
    while (this.#letIn(this.#fresh) && this.#isTimeLeft);
    if (!isAnotherDue && !this.#isTimeLeft) return;
    while (this.#letIn(this.#others) && this.#isTimeLeft);
  }

  get #isTimeLeft(): boolean {
    return this.#parts.now() < this.#sliceEnd;
  }

  #charge(seats: number): void {
    this.#sliceEnd -= (seats - 1) * LATER_MS_PER_SEAT;
  }

  /** @returns whether there was one. */
  #letIn(flows: Map<Flow, Waiting[]>): boolean {
    for (const [flow, waiting] of flows) {
      const first = waiting.shift();
      flows.delete(flow);
      if (waiting.length > 0) this.#others.set(flow, waiting);
      if (first === undefined) continue;
      this.#charge(first.seats);
      first.letIn();
      return true;
    }
    return false;
  }
}
