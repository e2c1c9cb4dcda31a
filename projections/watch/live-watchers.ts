/**
 * The live watchers of a group, in the order in which they came. Most groups have one, as where each subscription of
 * a live connection is to a namespace of its own, and a set for each would be more than all else that the group holds.
 */

/** A set of few, most often of one. */
export class LiveWatchers<Watcher extends object> {
  #only: Watcher | undefined;
  /** As soon as there are two; it takes the place of the only one. */
  #all: Set<Watcher> | undefined;

  get size(): number {
    return this.#all?.size ?? (this.#only === undefined ? 0 : 1);
  }

  has(watcher: Watcher): boolean {
    return this.#all?.has(watcher) ?? this.#only === watcher;
  }

  add(watcher: Watcher): void {
    if (this.#all === undefined && (this.#only ?? watcher) === watcher) {
      this.#only = watcher;
      return;
    }
    this.#all ??= new Set(this.#only === undefined ? [] : [this.#only]);
    this.#only = undefined;
    this.#all.add(watcher);
  }

  /** @returns whether it was there. */
  delete(watcher: Watcher): boolean {
    if (this.#all !== undefined) return this.#all.delete(watcher);
    if (this.#only !== watcher) return false;
    this.#only = undefined;
    return true;
  }

  /** A visitor may delete each of them, and one that is added meanwhile is visited or not. */
  forEach(visit: (watcher: Watcher) => void): void {
    if (this.#all !== undefined) this.#all.forEach(visit);
    else if (this.#only !== undefined) visit(this.#only);
  }
}
