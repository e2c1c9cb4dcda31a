/**
 * Counts how a path goes from file to file, told by each function as it begins and ends.
 *
 * A turn back is a call into a file that waits on the stack for the file that calls: a callback, or the next one of
 * a chain. A path on which work only goes forward has none.
 */

/** What happened since a count began. */
export interface Crossings {
  /** How often a function of a file was called from another file. */
  readonly entered: Readonly<Record<string, number>>;
  /** How often that was a turn back, by `from > to`. */
  readonly back: Readonly<Record<string, number>>;
}

export class CrossingCount {
  readonly #stack: string[] = [];
  #entered = new Map<string, number>();
  #back = new Map<string, number>();

  crossed(file: string): void {
    const from = this.#stack.at(-1);
    if (file !== from) {
      addTo(this.#entered, file);
      if (this.#stack.includes(file)) addTo(this.#back, `${from ?? ''} > ${file}`);
    }
    this.#stack.push(file);
  }

  left(): void {
    this.#stack.pop();
  }

  /** Gives what was counted, and begins anew. */
  taken(): Crossings {
    const crossings = {
      entered: Object.fromEntries(this.#entered),
      back: Object.fromEntries(this.#back),
    };
    this.#entered = new Map();
    this.#back = new Map();
    return crossings;
  }
}

function addTo(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
