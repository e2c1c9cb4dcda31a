/** Long work in the background, in slices between which the event loop rests or serves others. */
import type { Clock } from './clock.ts';
import { othersTurn } from './others-turn.ts';

const SLICE_MS = 2;
/** Behind each slice: so such work takes a third of the event loop at most, and an answer rarely waits for two slices. */
const REST_MS = 4;
/** So often the clock is asked. */
const STEPS_PER_LOOK = 16;

/** Tells when a slice is over. */
export class Slices {
  readonly #clock: Clock;
  #began: number;
  #steps = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  /** To be asked behind every small step. */
  isOver(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS_PER_LOOK === 0 && this.#lasted() >= SLICE_MS;
  }

  /** Resolves when the next slice begins: others had a turn, and where this one took its time, a rest. */
  async next(): Promise<void> {
    await othersTurn();
    if (this.#lasted() >= SLICE_MS) {
      await new Promise<void>((resolve) => {
        this.#clock.after(REST_MS, resolve);
      });
    }
    this.#began = this.#clock.now();
  }

  #lasted(): number {
    return this.#clock.now() - this.#began;
  }
}
