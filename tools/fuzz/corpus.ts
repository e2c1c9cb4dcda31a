/**
 * The inputs worth keeping: each went a way that none before it went. How often a place was
 * passed counts in classes (once, twice, three, up to 7, 15, 31, 127, more), as in AFL.
 */
import type { SeededRandom } from './seeded-random.ts';

const CLASSES = Uint8Array.from({ length: 256 }, (_, hits) => {
  if (hits < 4) return [0, 1, 2, 4][hits] ?? 0;
  if (hits < 8) return 8;
  if (hits < 16) return 16;
  if (hits < 32) return 32;
  return hits < 128 ? 64 : 128;
});

const ENTRIES_MAX = 20_000;

export class Corpus {
  readonly #entries: Uint8Array[] = [];
  readonly #counters: Uint8Array;
  /** The same, four at a time. */
  readonly #words: Uint32Array;
  readonly #seen: Uint8Array;
  #edges = 0;

  /** @param counters What the run of an input counts in, as many as there are edges. */
  constructor(counters: Uint8Array) {
    const size = counters.length - (counters.length % 4);
    this.#counters = counters.subarray(0, size);
    this.#words = new Uint32Array(counters.buffer, counters.byteOffset, size / 4);
    this.#seen = new Uint8Array(size);
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Places that some input has passed. */
  get edges(): number {
    return this.#edges;
  }

  get entries(): readonly Uint8Array[] {
    return this.#entries;
  }

  /** Before an input is run. */
  reset(): void {
    this.#counters.fill(0);
  }

  /** After it was run. @returns whether it is kept. */
  judge(input: Uint8Array): boolean {
    if (!this.#isNew()) return false;
    if (this.#entries.length < ENTRIES_MAX) this.#entries.push(Uint8Array.from(input));
    return true;
  }

  /** What came last leads further, so it is taken more often. */
  choose(random: SeededRandom): Uint8Array {
    const count = this.#entries.length;
    const recent = Math.min(count, 64);
    const at = random.once(3) ? count - 1 - random.integer(recent) : random.integer(count);
    return this.#entries[at] ?? new Uint8Array();
  }

  #isNew(): boolean {
    let isNew = false;
    const words = this.#words;
    for (let word = 0; word < words.length; word += 1) {
      if (words[word] !== 0 && this.#marked(word * 4)) isNew = true;
    }
    return isNew;
  }

  #marked(start: number): boolean {
    let isNew = false;
    for (let at = start; at < start + 4; at += 1) {
      const hits = CLASSES[this.#counters[at] ?? 0] ?? 0;
      const seen = this.#seen[at] ?? 0;
      if ((hits & ~seen) === 0) continue;
      if (seen === 0) this.#edges += 1;
      this.#seen[at] = seen | hits;
      isNew = true;
    }
    return isNew;
  }
}
