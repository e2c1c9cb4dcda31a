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
