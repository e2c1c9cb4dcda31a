/**
 * How many pairs of things in one pod are compared for warnings. All pairs of a long list are more
 * than a request may cost, and a client is told 4 KiB of warnings whatever is found.
 */
const PAIRS_MAX = 50_000;

/** What is left of it for one pod. */
export class PairBudget {
  #left = PAIRS_MAX;

  /** @returns as many of `pairs` as are left. */
  take(pairs: number): number {
    const taken = Math.min(pairs, this.#left);
    this.#left -= taken;
    return taken;
  }
}
