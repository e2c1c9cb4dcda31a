/**
 * The paths of one resource in order, in chunks: to put one in or take one out moves at most a
 * chunk, and a page begins with two binary searches. That an object changes moves nothing.
 */

const CHUNK_MAX = 512;

interface ChunkPosition {
  readonly chunk: number;
  readonly index: number;
  readonly found: boolean;
}

export class SortedPaths {
  #chunks: string[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  copy(): SortedPaths {
    const copy = new SortedPaths();
    copy.#chunks = this.#chunks.map((paths) => [...paths]);
    copy.#size = this.#size;
    return copy;
  }

  /** Does nothing when it is there. */
  add(path: string): void {
    const { chunk, index, found } = this.#place(path);
    if (found) return;
    const paths = this.#chunks[chunk];
    if (paths === undefined) {
      this.#chunks.push([path]);
    } else {
      paths.splice(index, 0, path);
      if (paths.length > CHUNK_MAX) this.#split(chunk, paths);
    }
    this.#size += 1;
  }

  delete(path: string): void {
    const { chunk, index, found } = this.#place(path);
    const paths = this.#chunks[chunk];
    if (!found || paths === undefined) return;
    paths.splice(index, 1);
    if (paths.length === 0) this.#chunks.splice(chunk, 1);
    this.#size -= 1;
  }

  /** The paths with `from <= path < to`, in order. */
  *between(from: string, to: string): Generator<string> {
    const start = this.#place(from);
    for (let chunk = start.chunk; chunk < this.#chunks.length; chunk += 1) {
      const paths = this.#chunks[chunk] ?? [];
      for (let index = chunk === start.chunk ? start.index : 0; index < paths.length; index += 1) {
        const path = paths[index];
        if (path === undefined || path >= to) return;
        yield path;
      }
    }
  }

  /** How many have `from <= path < to`. */
  countBetween(from: string, to: string): number {
    return Math.max(0, this.#rank(to) - this.#rank(from));
  }

  #rank(path: string): number {
    const place = this.#place(path);
    let rank = place.index;
    for (let chunk = 0; chunk < place.chunk; chunk += 1) rank += this.#chunks[chunk]?.length ?? 0;
    return rank;
  }

  /** Where the path is, or where it would go: in the last chunk if behind everything. */
  #place(path: string): ChunkPosition {
    const chunks = this.#chunks;
    let low = 0;
    let high = Math.max(0, chunks.length - 1);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((chunks[middle]?.at(-1) ?? '') < path) low = middle + 1;
      else high = middle;
    }
    const paths = chunks[low] ?? [];
    const index = lowerBound(paths, path);
    return { chunk: low, index, found: paths[index] === path };
  }

  #split(chunk: number, paths: string[]): void {
    this.#chunks.splice(chunk + 1, 0, paths.splice(paths.length >> 1));
  }
}

function lowerBound(paths: readonly string[], path: string): number {
  let low = 0;
  let high = paths.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((paths[middle] ?? '') < path) low = middle + 1;
    else high = middle;
  }
  return low;
}
