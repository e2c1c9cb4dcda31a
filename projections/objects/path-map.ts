/**
 * A map by the paths of objects that never stands still for long. A Map that grows puts all it has into a table of twice
 * the size, which takes a tenth of a second for a million; here many small ones grow, each by itself.
 */

/** Behind so many there is more than one. */
const ALONE_MAX = 4_096;
/** A power of two. Those of a million grow in one or two milliseconds each. */
const PARTS = 64;
/** Of a path, so many of the last characters tell in which part it lies: those in which names differ. */
const TOLD_BY = 4;

export class PathMap<Value> {
  #parts = [new Map<string, Value>()];

  get(path: string): Value | undefined {
    return this.#partOf(path).get(path);
  }

  set(path: string, value: Value): void {
    const part = this.#partOf(path);
    part.set(path, value);
    if (this.#parts.length === 1 && part.size > ALONE_MAX) this.#divide(part);
  }

  delete(path: string): boolean {
    return this.#partOf(path).delete(path);
  }

  *values(): Generator<Value> {
    for (const part of this.#parts) yield* part.values();
  }

  #partOf(path: string): Map<string, Value> {
    const at = this.#parts.length === 1 ? 0 : partOf(path);
    return this.#parts[at] as Map<string, Value>; // As many as it was divided into.
  }

  #divide(all: ReadonlyMap<string, Value>): void {
    this.#parts = Array.from({ length: PARTS }, () => new Map<string, Value>());
    for (const [path, value] of all) this.#partOf(path).set(path, value);
  }
}

function partOf(path: string): number {
  let hash = 0;
  for (let at = Math.max(0, path.length - TOLD_BY); at < path.length; at += 1) {
    hash = (hash * 31 + path.charCodeAt(at)) & (PARTS - 1);
  }
  return hash;
}
