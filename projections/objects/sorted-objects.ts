/**
 * The objects of one resource in the order of their paths, in chunks: to put one in or take one
 * out moves at most a chunk, and a page begins with two binary searches.
 */
import type { StoredObject } from '../../streams/event.ts';

const CHUNK_MAX = 512;

interface Place {
  readonly chunk: number;
  readonly index: number;
  readonly found: boolean;
}

export class SortedObjects {
  #chunks: StoredObject[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  copy(): SortedObjects {
    const copy = new SortedObjects();
    copy.#chunks = this.#chunks.map((objects) => [...objects]);
    copy.#size = this.#size;
    return copy;
  }

  /** Puts the object in, or in the place of the one with the same path. */
  set(object: StoredObject): void {
    const { chunk, index, found } = this.#place(object.path);
    const objects = this.#chunks[chunk];
    if (objects === undefined) {
      this.#chunks.push([object]);
    } else if (found) {
      objects[index] = object;
      return;
    } else {
      objects.splice(index, 0, object);
      if (objects.length > CHUNK_MAX) this.#split(chunk, objects);
    }
    this.#size += 1;
  }

  delete(path: string): void {
    const { chunk, index, found } = this.#place(path);
    const objects = this.#chunks[chunk];
    if (!found || objects === undefined) return;
    objects.splice(index, 1);
    if (objects.length === 0) this.#chunks.splice(chunk, 1);
    this.#size -= 1;
  }

  /** The objects with `from <= path < to`, in order. */
  *between(from: string, to: string): Generator<StoredObject> {
    const start = this.#place(from);
    for (let chunk = start.chunk; chunk < this.#chunks.length; chunk += 1) {
      const objects = this.#chunks[chunk] ?? [];
      for (
        let index = chunk === start.chunk ? start.index : 0;
        index < objects.length;
        index += 1
      ) {
        const object = objects[index];
        if (object === undefined || object.path >= to) return;
        yield object;
      }
    }
  }

  /** How many objects have `from <= path < to`. */
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
  #place(path: string): Place {
    const chunks = this.#chunks;
    let low = 0;
    let high = Math.max(0, chunks.length - 1);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((chunks[middle]?.at(-1)?.path ?? '') < path) low = middle + 1;
      else high = middle;
    }
    const objects = chunks[low] ?? [];
    const index = lowerBound(objects, path);
    return { chunk: low, index, found: objects[index]?.path === path };
  }

  #split(chunk: number, objects: StoredObject[]): void {
    this.#chunks.splice(chunk + 1, 0, objects.splice(objects.length >> 1));
  }
}

function lowerBound(objects: readonly StoredObject[], path: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((objects[middle]?.path ?? '') < path) low = middle + 1;
    else high = middle;
  }
  return low;
}
