import type { Clock } from './clock.ts';

/** Time that stands still until it is moved; what is due runs in order. */
export class ManualClock implements Clock {
  #now = 0;
  #due: { readonly at: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const one = { at: this.#now + delayMs, callback };
    this.#due.push(one);
    return () => {
      this.#due = this.#due.filter((other) => other !== one);
    };
  }

  advance(ms: number): void {
    this.#now += ms;
    for (;;) {
      const next = this.#due
        .filter(({ at }) => at <= this.#now)
        .sort((a, b) => a.at - b.at)
        .at(0);
      if (next === undefined) return;
      this.#due = this.#due.filter((other) => other !== next);
      next.callback();
    }
  }
}
