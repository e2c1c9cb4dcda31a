/**
 * What lies at the paths of one resource, in order of the paths and in chunks: to put one in or take one
 * out moves at most a chunk, a page begins with two binary searches, and all of a million are had in a
 * few milliseconds, as copies of whole chunks. An entry has its path, or is one.
 */

const CHUNK_MAX = 512;

/** A place in the order. */
export type PathEntry = string | { readonly path: string };

/** What lay in a range at some moment, however much that is: it is read in later turns of the event loop. */
export class HeldPaths<Entry> implements Iterable<Entry> {
  /** One behind the other. */
  readonly parts: readonly (readonly Entry[])[];
  /** How many entries there are in all parts. */
  readonly length: number;

  constructor(parts: readonly (readonly Entry[])[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, part) => sum + part.length, 0);
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const part of this.parts) yield* part;
  }

  /** @param index of an entry among them all. */
  at(index: number): Entry | undefined {
    let left = index;
    for (const part of this.parts) {
      if (left < part.length) return part[left];
      left -= part.length;
    }
    return undefined;
  }
}

interface ChunkPosition {
  readonly chunk: number;
  readonly index: number;
  readonly found: boolean;
}

export class SortedPaths<Entry extends PathEntry> {
  #chunks: Entry[][] = [];
  #size = 0;
  /** Chunks that others may still read: what changes is a copy of its chunk, which is made once and theirs no more. */
  #held: WeakSet<readonly Entry[]> | undefined;

  get size(): number {
    return this.#size;
  }

  copy(): SortedPaths<Entry> {
    const copy = new SortedPaths<Entry>();
    copy.#chunks = this.#chunks.map((entries) => [...entries]);
    copy.#size = this.#size;
    return copy;
  }

  /** Puts it in, or in the place of the one of its path. */
  set(entry: Entry): void {
    const last = this.#chunks.at(-1);
    const path = pathOf(entry);
    if (last === undefined || path > endOf(last)) {
      this.#append(entry);
      return;
    }
    const { chunk, index, found } = this.#place(path);
    const entries = this.#own(chunk);
    if (found) {
      entries[index] = entry;
      return;
    }
    entries.splice(index, 0, entry);
    if (entries.length > CHUNK_MAX) this.#split(chunk, entries);
    this.#size += 1;
  }

  delete(path: string): void {
    const { chunk, index, found } = this.#place(path);
    if (!found) return;
    const entries = this.#own(chunk);
    entries.splice(index, 1);
    if (entries.length === 0) this.#chunks.splice(chunk, 1);
    this.#size -= 1;
  }

  /** The entries with `from <= path < to`, in order. */
  *between(from: string, to: string): Generator<Entry> {
    const start = this.#place(from);
    for (let chunk = start.chunk; chunk < this.#chunks.length; chunk += 1) {
      const entries = this.#chunks[chunk] ?? [];
      for (
        let index = chunk === start.chunk ? start.index : 0;
        index < entries.length;
        index += 1
      ) {
        const entry = entries[index];
        if (entry === undefined || pathOf(entry) >= to) return;
        yield entry;
      }
    }
  }

  /** The same, and of more than `max` the first: copied as whole chunks, of which no entry is looked at. */
  range(from: string, to: string, max = Number.POSITIVE_INFINITY): Entry[] {
    const end = this.#place(to);
    const parts: Entry[][] = [];
    let left = max;
    for (let { chunk, index } = this.#place(from); chunk <= end.chunk && left > 0; chunk += 1) {
      const last = chunk === end.chunk ? end.index : CHUNK_MAX;
      const part = this.#chunks[chunk]?.slice(index, Math.min(last, index + left)) ?? [];
      parts.push(part);
      left -= part.length;
      index = 0;
    }
    const none: Entry[] = [];
    return none.concat(...parts);
  }

  /** The same as it is now, whatever changes: of all but the ends nothing is copied. */
  hold(from: string, to: string): HeldPaths<Entry> {
    const end = this.#place(to);
    const parts: Entry[][] = [];
    this.#held ??= new WeakSet();
    for (let { chunk, index } = this.#place(from); chunk <= end.chunk; chunk += 1) {
      const entries = this.#chunks[chunk] ?? [];
      const last = chunk === end.chunk ? end.index : entries.length;
      const part = index === 0 && last === entries.length ? entries : entries.slice(index, last);
      parts.push(part);
      this.#held.add(part);
      index = 0;
    }
    return new HeldPaths(parts);
  }

  /** The same, shown to `visit` until that returns false: a third of the time for many. */
  visit(from: string, to: string, visit: (entry: Entry) => boolean): void {
    const start = this.#place(from);
    for (let chunk = start.chunk; chunk < this.#chunks.length; chunk += 1) {
      const entries = this.#chunks[chunk] ?? [];
      // The last of a chunk tells whether each of them has to be compared.
      const isWhole = endOf(entries) < to;
      for (
        let index = chunk === start.chunk ? start.index : 0;
        index < entries.length;
        index += 1
      ) {
        const entry = entries[index] as Entry;
        if (!isWhole && pathOf(entry) >= to) return;
        if (!visit(entry)) return;
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
      if (endOf(chunks[middle] ?? []) < path) low = middle + 1;
      else high = middle;
    }
    const entries = chunks[low] ?? [];
    const index = lowerBound(entries, path);
    const there = entries[index];
    return { chunk: low, index, found: there !== undefined && pathOf(there) === path };
  }

  /** Behind all others, as objects come at a start. */
  #append(entry: Entry): void {
    const last = this.#chunks.length - 1;
    if (last < 0 || this.#own(last).length >= CHUNK_MAX) this.#chunks.push([entry]);
    else this.#own(last).push(entry);
    this.#size += 1;
  }

  /** The chunk, to be changed. */
  #own(chunk: number): Entry[] {
    const entries = this.#chunks[chunk] ?? [];
    if (this.#held?.has(entries) !== true) return entries;
    const own = [...entries];
    this.#chunks[chunk] = own;
    return own;
  }

  #split(chunk: number, entries: Entry[]): void {
    this.#chunks.splice(chunk + 1, 0, entries.splice(entries.length >> 1));
  }
}

function lowerBound(entries: readonly PathEntry[], path: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pathOf(entries[middle] ?? '') < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

function pathOf(entry: PathEntry): string {
  return typeof entry === 'string' ? entry : entry.path;
}

/** The last path; '' where there is none. */
function endOf(entries: readonly PathEntry[]): string {
  return pathOf(entries.at(-1) ?? '');
}
