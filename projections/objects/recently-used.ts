/**
 * Keeps bytes in memory up to a limit: those that were made or asked for lately. It goes round, as a clock does, and
 * lets go of what was not asked for since it came by last.
 *
 * The surprise: what is forgotten leaves its place at once. A list of what is to be kept that still knew it would
 * hold as much again as there is room for.
 */

/** Has bytes of which it can let go. */
export interface Kept {
  /** Where it stands among the others; {@link NOWHERE}: it is not kept. It is {@link RecentlyUsed}'s to say. */
  place: number;
  /** The same for as long as it is kept. */
  readonly sizeBytes: number;
  /** Whether its bytes were asked for since this was asked last. */
  wasUsed(): boolean;
  /** Lets go of its bytes. */
  letGo(): void;
}

/** The place of what is not kept. */
export const NOWHERE = -1;

/** What a copy of bytes costs beside them: the objects of the engine that hold it, and labels. */
const HELD_BYTES = 512;
/** So many that were used are passed by for one that has to go: then the next one goes all the same. */
const PASSED_MAX = 64;
const TIDIED_PLACES = 1_024;

export class RecentlyUsed<One extends Kept> {
  /** About how much memory all of them may take. */
  readonly bytesMax: number;
  /** In the order in which they are looked at, with holes. */
  #queue: (One | undefined)[] = [];
  #first = 0;
  #count = 0;
  #bytes = 0;

  /** @param bytesMax a single one may take more. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** How many are kept. */
  get count(): number {
    return this.#count;
  }

  /** About how much memory they take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps one more, at least until the next one comes; others go for it. */
  keep(one: One): void {
    this.#put(one);
    let passed = 0;
    while (this.#bytes > this.bytesMax && this.#count > 1) {
      const next = this.#takeNext();
      if (next === undefined) return;
      passed += 1;
      if (next === one || (passed <= PASSED_MAX && next.wasUsed())) this.#put(next);
      else next.letGo();
    }
  }

  /** It keeps its bytes, which do not count any more. */
  forget(one: One): void {
    if (one.place === NOWHERE) return;
    this.#remove(one);
    this.#tidy();
  }

  #put(one: One): void {
    one.place = this.#queue.length;
    this.#queue.push(one);
    this.#count += 1;
    this.#bytes += one.sizeBytes + HELD_BYTES;
  }

  #remove(one: One): void {
    this.#queue[one.place] = undefined;
    one.place = NOWHERE;
    this.#count -= 1;
    this.#bytes -= one.sizeBytes + HELD_BYTES;
  }

  #takeNext(): One | undefined {
    while (this.#first < this.#queue.length) {
      const next = this.#queue[this.#first];
      this.#first += 1;
      if (next === undefined) continue;
      this.#remove(next);
      this.#tidy();
      return next;
    }
    return undefined;
  }

  /** Half of the queue are holes: time to move up. */
  #tidy(): void {
    const holes = this.#queue.length - this.#count;
    if (holes < TIDIED_PLACES || holes * 2 < this.#queue.length) return;
    this.#queue = this.#queue.filter((one) => one !== undefined);
    this.#first = 0;
    for (const [place, one] of this.#queue.entries()) if (one !== undefined) one.place = place;
  }
}
