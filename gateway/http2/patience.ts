/**
 * How much a client may do that costs the server work and brings the client nothing, as pings, empty
 * frames and requests that are taken back: so much at once, and so much in a second.
 */
export interface PatienceLimits {
  readonly burst: number;
  readonly perSecond: number;
}

export class Patience {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #filledAt: number;

  /** @param now in milliseconds. */
  constructor({ burst, perSecond }: PatienceLimits, now: () => number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = burst;
    this.#filledAt = now();
  }

  /** @returns false when it is over. */
  spend(cost: number): boolean {
    this.#left -= cost;
    if (this.#left >= 0) return true;
    const now = this.#now();
    const earned = ((now - this.#filledAt) * this.#perSecond) / 1_000;
    this.#filledAt = now;
    this.#left = Math.min(this.#burst, this.#left + earned);
    return this.#left >= 0;
  }

  /** For what is done on the client's behalf, which it has to answer. */
  earn(amount: number): void {
    if (this.#left < this.#burst) this.#left += amount;
  }
}
