/**
 * One attempt to write, from its beginning until it is known what became of it. Who takes something
 * for it, as a quota takes its turn, leaves a note to give it back.
 */
export interface Turn {
  /** Called once when the attempt is over: committed, refused or overtaken. Must not throw. */
  whenOver(note: () => void): void;
}

export class AttemptTurn implements Turn {
  #notes: (() => void)[] | undefined;

  whenOver(note: () => void): void {
    (this.#notes ??= []).push(note);
  }

  end(): void {
    const notes = this.#notes;
    this.#notes = undefined;
    if (notes === undefined) return;
    for (const note of notes) note();
  }
}
