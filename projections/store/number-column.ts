/**
 * Whole numbers one behind the other, millions of them, in blocks that never move. An array of as many is copied each time
 * it grows, and gone through by each collection of V8.
 */

const BLOCK_BITS = 12;
const BLOCK = 1 << BLOCK_BITS;
const IN_BLOCK = BLOCK - 1;

type Numbers = Float64Array | Uint32Array;

export class NumberColumn<Block extends Numbers> {
  readonly #make: (length: number) => Block;
  readonly #blocks: Block[] = [];
  #length = 0;

  /** @param make of numbers of what size. */
  constructor(make: (length: number) => Block) {
    this.#make = make;
  }

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** The number at a place, which is less than {@link length}. */
  at(place: number): number {
    return this.#blocks[place >>> BLOCK_BITS]?.[place & IN_BLOCK] ?? 0;
  }

  /** Puts one behind the others. */
  push(number: number): void {
    const at = this.#length & IN_BLOCK;
    if (at === 0) this.#blocks.push(this.#make(BLOCK));
    const block = this.#blocks[this.#length >>> BLOCK_BITS];
    if (block !== undefined) block[at] = number;
    this.#length += 1;
  }

  /** A copy of those from a place on. */
  from(place: number, end = this.#length): Block {
    const numbers = this.#make(Math.max(0, Math.min(end, this.#length) - place));
    for (let at = 0; at < numbers.length; at += 1) numbers[at] = this.at(place + at);
    return numbers;
  }
}
