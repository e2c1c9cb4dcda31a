/**
 * Turns that long work of one kind takes one behind the other: in each turn of the event loop one of those that wait goes on.
 * With a turn for each of them, a hundred would do a hundred parts of their work in a row, for which every request would wait.
 */

/** Those that wait have their turns in the order in which they came. */
export class SharedTurns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a later turn of the event loop, in which no other one goes on. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#passLater();
    });
  }

  #passLater(): void {
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#passLater();
    });
  }
}
