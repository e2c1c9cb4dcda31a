/**
 * Counts the requests that a shutdown has to wait for, and lets no more in once it waits.
 *
 * In Kubernetes: SafeWaitGroup, apimachinery/pkg/util/waitgroup.
 */
export interface WaitGroup {
  readonly size: number;
  /** false once the group is closed; then the request does not count. */
  enter(): boolean;
  leave(): void;
  /** From now on nobody enters. Those who are inside go on. */
  close(): void;
  /** Settles when nobody is inside; at once when nobody is. */
  whenEmpty(): Promise<void>;
}

export function waitGroup(): WaitGroup {
  return new RequestWaitGroup();
}

class RequestWaitGroup implements WaitGroup {
  size = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  enter(): boolean {
    if (this.#closed) return false;
    this.size += 1;
    return true;
  }

  leave(): void {
    this.size -= 1;
    if (this.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  close(): void {
    this.#closed = true;
  }

  whenEmpty(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
