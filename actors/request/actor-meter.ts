/**
 * How long actors work on their messages. A send is delivered on the sender's own stack, so what a
 * actor sends to the next one runs inside of it; that is taken off again, and each actor is charged
 * with its own work alone. What is done later, when a promise has resolved, belongs to nobody here.
 */

/** What one actor has done since the meter was made. */
export interface ActorFigures {
  /** Messages received. */
  messages: number;
  /** Milliseconds of its own work. */
  ms: number;
}

export class ActorMeter {
  readonly #now: () => number;
  readonly #figures = new Map<string, ActorFigures>();
  /** What was charged to others since the actor that works now began. */
  #chargedMs = 0;

  /** @param now milliseconds from anywhere, with fractions. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** By actor, in the order in which they were made. */
  get figures(): ReadonlyMap<string, Readonly<ActorFigures>> {
    return this.#figures;
  }

  /** Begins to measure an actor of this name. */
  of(name: string): ActorFigures {
    const known = this.#figures.get(name) ?? { messages: 0, ms: 0 };
    this.#figures.set(name, known);
    return known;
  }

  /** Has the work done and charges whoever does it. */
  measure(figures: ActorFigures, work: () => void): void {
    const before = this.#chargedMs;
    this.#chargedMs = 0;
    const from = this.#now();
    try {
      work();
    } finally {
      const tookMs = this.#now() - from;
      figures.messages += 1;
      figures.ms += tookMs - this.#chargedMs;
      this.#chargedMs = before + tookMs;
    }
  }
}
