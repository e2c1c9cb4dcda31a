/** Waiting longer after each failure, and never all at the same time. */
import type { Clock, Random } from '../../api/meta/clock.ts';
import { pause } from '../../api/meta/rxjs-clock.ts';

const FIRST_MS = 500;
const LAST_MS = 30_000;
/** Out of a thousand: how much of a wait is chance. */
const CHANCE = 500;

export class BackOff {
  readonly #clock: Clock;
  readonly #random: Random;
  #nextMs = FIRST_MS;
  #hurrying = new AbortController();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** It went well: the next failure is the first again. */
  reset(): void {
    this.#nextMs = FIRST_MS;
  }

  /** What was waited for is there again: ends the wait, and the next failure is the first again. */
  hurry(): void {
    this.reset();
    this.#hurrying.abort();
  }

  /** Waits; ends early, and without an error, when the signal does. */
  wait(signal: AbortSignal): Promise<void> {
    const share = (1_000 - this.#random.integer(CHANCE)) / 1_000;
    const delayMs = this.#nextMs * share;
    this.#nextMs = Math.min(this.#nextMs * 2, LAST_MS);
    this.#hurrying = new AbortController();
    return pause(this.#clock, delayMs, AbortSignal.any([signal, this.#hurrying.signal]));
  }
}

/** Asked anew each time: a signal that was not aborted before can be by now. */
export function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
