/**
 * Writes to the same object queue up behind each other; writes to different objects do not.
 *
 * A slot is there only while a write holds it, so objects that rest cost nothing.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';

/** Gives the key to the next write. Calls behind the first do nothing. */
export type Release = () => void;

export class KeySlots {
  readonly #waiting = new Map<string, ((release: Release) => void)[]>();

  /** Keys being written at the moment. */
  get size(): number {
    return this.#waiting.size;
  }

  /** The key is held from when this gives the release, which is at once where no write holds it. */
  take(key: string): MaybePromise<Release> {
    const queue = this.#waiting.get(key);
    if (queue === undefined) {
      this.#waiting.set(key, []);
      return this.#releaseOf(key);
    }
    return new Promise((resolve) => {
      queue.push(resolve);
    });
  }

  #releaseOf(key: string): Release {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const next = this.#waiting.get(key)?.shift();
      if (next === undefined) this.#waiting.delete(key);
      else next(this.#releaseOf(key));
    };
  }
}
