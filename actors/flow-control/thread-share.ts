/**
 * The one thread, shared out among the flows that have their seats.
 *
 * Seats bound how many requests are answered at once; here they are answered one after the other all
 * the same, in the order in which the event loop found them, so that forty lists of one user would
 * stand before the next user's get. Therefore a turn of the event loop lets in what its slice of time
 * has room for, and what is left waits for the next turns: who has not waited before comes first, and
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

export class ThreadShare<Flow> {
  readonly #parts: ThreadShareParts;
  /** Flows that wait since less than a round, in the order of their coming. */
  readonly #fresh = new Map<Flow, (() => void)[]>();
  /** Those that have been let in once and have more: the first of them is next. */
  readonly #others = new Map<Flow, (() => void)[]>();
  #isTurn = false;
  #sliceEnd = 0;

  constructor(parts: ThreadShareParts) {
    this.#parts = parts;
  }

  /** Begins a turn if there is none. @returns whether a request may go on now; if not, it has to {@link wait}. */
  enter(): boolean {
    if (!this.#isTurn) this.#begin();
    const isNobodyWaiting = this.#fresh.size === 0 && this.#others.size === 0;
    return isNobodyWaiting && this.#isTimeLeft;
  }

  /** @param letIn called once, in one of the next turns. Must not throw. */
  wait(flow: Flow, letIn: () => void): void {
    const waiting = this.#others.get(flow) ?? this.#fresh.get(flow);
    if (waiting === undefined) this.#fresh.set(flow, [letIn]);
    else waiting.push(letIn);
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

  /** @returns whether there was one. */
  #letIn(flows: Map<Flow, (() => void)[]>): boolean {
    for (const [flow, waiting] of flows) {
      const letIn = waiting.shift();
      flows.delete(flow);
      if (waiting.length > 0) this.#others.set(flow, waiting);
      letIn?.();
      return true;
    }
    return false;
  }
}
