/**
 * How many requests of a priority level were turned away lately, and so when those that were should
 * come again: twice as late after a bad while, a second earlier after a good one.
 *
 * In Kubernetes: droppedRequestsTracker, apiserver/pkg/util/flowcontrol.
 */
const RETRY_AFTER_MAX = 32;

interface Second {
  readonly second: number;
  readonly count: number;
}

export class DroppedRequests {
  /** In seconds. */
  retryAfter = 1;
  #history: Second[] = [];
  #second = 0;
  #count = 0;
  #raisedAt = 0;

  /** @param now milliseconds since 1970. */
  record(now: number): void {
    const second = Math.floor(now / 1_000);
    if (second === this.#second) {
      this.#count += 1;
      return;
    }
    this.#remember({ second: this.#second, count: this.#count });
    this.#second = second;
    this.#count = 1;
    this.#adapt(second);
  }

  #remember(last: Second): void {
    const oldest = last.second - Math.min(2 * this.retryAfter, RETRY_AFTER_MAX);
    this.#history = [...this.#history, last].filter(({ second }) => second >= oldest);
  }

  #adapt(now: number): void {
    const { retryAfter } = this;
    let dropped = 0;
    for (const { second, count } of this.#history) {
      if (now - second <= retryAfter && second < now) dropped += count;
    }
    if (now - this.#raisedAt >= retryAfter && dropped >= 3 * retryAfter) {
      this.retryAfter = Math.min(2 * retryAfter, RETRY_AFTER_MAX);
      this.#raisedAt = now;
    } else if (dropped < retryAfter && retryAfter > 1) {
      this.retryAfter = retryAfter - 1;
    }
  }
}
