/** Long work in slices, between which the event loop does what others want of it. */
import type { Clock } from '../../api/meta/clock.ts';

const SLICE_MS = 3;
/** So often the clock is asked. */
const STEPS_PER_LOOK = 16;

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
    return this.#steps % STEPS_PER_LOOK === 0 && this.#clock.now() - this.#began >= SLICE_MS;
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#began = this.#clock.now();
  }
}
