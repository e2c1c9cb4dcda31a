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

/**
 * One attempt to write, from its beginning until it is known what became of it. A plug-in that takes
 * something for it, as a quota takes its turn, leaves a note to give it back.
 */
export interface WriteAttempt {
  /** Called once when the attempt is over: committed, refused or overtaken. Must not throw. */
  whenOver(note: () => void): void;
  /**
   * Called once when the change is committed, and not otherwise. The client is answered when the
   * promise has settled; what it settles to changes nothing of the answer.
   */
  whenCommitted(work: () => Promise<unknown>): void;
}

/** Keeps what an attempt leaves to be done when it is over, or when its change is in the log. */
export class RunningAttempt implements WriteAttempt {
  #notes: (() => void)[] | undefined;
  #works: (() => Promise<unknown>)[] | undefined;

  whenOver(note: () => void): void {
    (this.#notes ??= []).push(note);
  }

  whenCommitted(work: () => Promise<unknown>): void {
    (this.#works ??= []).push(work);
  }

  end(): void {
    const notes = this.#notes;
    this.#notes = undefined;
    if (notes === undefined) return;
    for (const note of notes) note();
  }

  /** Does what was left for a committed change. @returns undefined: nothing was. */
  committed(): Promise<unknown> | undefined {
    const works = this.#works;
    this.#works = undefined;
    if (works === undefined) return undefined;
    // What throws at once is settled too: the client behind it is answered in any case.
    return Promise.allSettled(works.map(async (work) => work()));
  }
}
