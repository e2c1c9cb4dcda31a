/** Functions that are told of something until they are ended, in the order in which they were added. */
export class Listeners<Told = void> {
  readonly #told = new Set<(told: Told) => void>();

  /** @returns ends it; a second call does nothing. */
  add(listener: (told: Told) => void): () => void {
    // A function of its own, so that one that is added twice is told twice.
    const own = (told: Told): void => {
      listener(told);
    };
    this.#told.add(own);
    return () => {
      this.#told.delete(own);
    };
  }

  /** On the stack of the caller. One that throws keeps the rest from being told. */
  tell(told: Told): void {
    for (const listener of this.#told) listener(told);
  }
}

/** What one part of the server has begun to listen to; all of it ends together. */
export class ListenerGroup {
  readonly #ends: (() => void)[] = [];
  #isEnded = false;

  /** Until `end`. @param listen begins, and returns what ends it. */
  through<Told>(
    listen: (listener: (told: Told) => void) => () => void,
  ): (listener: (told: Told) => void) => void {
    return (listener) => {
      // What is still starting when its part ends would listen for ever.
      if (!this.#isEnded) this.#ends.push(listen(listener));
    };
  }

  /** Nothing is told any more, nor to what would begin to listen from now on. */
  end(): void {
    this.#isEnded = true;
    for (const end of this.#ends.splice(0)) end();
  }
}
