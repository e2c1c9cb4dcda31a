import type { Clock } from './clock.ts';

/** Time that stands still until it is moved; what is due runs in order, each at its own time. */
export class ManualClock implements Clock {
  #now: number;
  #due: { readonly at: number; readonly callback: () => void }[] = [];

  constructor(startAt = 0) {
    this.#now = startAt;
  }

  now(): number {
    return this.#now;
  }

  /** How many timers run. */
  get waiting(): number {
    return this.#due.length;
  }

  after(delayMs: number, callback: () => void): () => void {
    const one = { at: this.#now + delayMs, callback };
    this.#due.push(one);
    return () => {
      this.#due = this.#due.filter((other) => other !== one);
    };
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#due
        .filter(({ at }) => at <= end)
        .sort((a, b) => a.at - b.at)
        .at(0);
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      this.#due = this.#due.filter((other) => other !== next);
      next.callback();
    }
    this.#now = end;
  }
}
