/**
 * Headers of records that follow each other, packed into memory that two threads share: one reads records and fills a block
 * at a time, the other folds what is in it and gives it back.
 *
 *     4 bytes         how many blocks were given back
 *     for each block  2,048 times 4 bytes: where the header of a record ends · the headers, one behind the other
 */

/** So many are filled in advance: some 8,000 records. */
const BLOCKS = 4;
const RECORDS_MAX = 2_048;
const ENDS_BYTES = RECORDS_MAX * Uint32Array.BYTES_PER_ELEMENT;
const BLOCK_BYTES = 1024 * 1024;
const CONTROL_BYTES = 8;

export class HeadBlocks {
  readonly memory: SharedArrayBuffer;
  readonly #givenBack: Int32Array;

  constructor(memory = new SharedArrayBuffer(CONTROL_BYTES + BLOCKS * BLOCK_BYTES)) {
    this.memory = memory;
    this.#givenBack = new Int32Array(memory, 0, 1);
  }

  /** The block that is filled as the `nth`, counted from 0; it lies where others did before. */
  at(nth: number): HeadBlock {
    return new HeadBlock(this.memory, CONTROL_BYTES + (nth % BLOCKS) * BLOCK_BYTES);
  }

  /** The thread sleeps until there is room for the `nth`. */
  awaitRoom(nth: number): void {
    for (;;) {
      const givenBack = Atomics.load(this.#givenBack, 0);
      if (nth - givenBack < BLOCKS) return;
      Atomics.wait(this.#givenBack, 0, givenBack);
    }
  }

  /** The oldest one was read to its end. */
  giveBack(): void {
    Atomics.add(this.#givenBack, 0, 1);
    Atomics.notify(this.#givenBack, 0);
  }
}

/** The headers of some records. */
export class HeadBlock {
  /** One header behind the other, as they lie in their frames. */
  readonly bytes: Buffer;
  readonly #ends: Uint32Array;
  #count = 0;
  #end = 0;

  constructor(memory: SharedArrayBuffer, at: number) {
    this.#ends = new Uint32Array(memory, at, RECORDS_MAX);
    this.bytes = Buffer.from(memory, at + ENDS_BYTES, BLOCK_BYTES - ENDS_BYTES);
  }

  /** How many were added. */
  get count(): number {
    return this.#count;
  }

  /** Where the header of a record begins. */
  startOf(place: number): number {
    return place === 0 ? 0 : this.endOf(place - 1);
  }

  /** Where the header of a record ends. */
  endOf(place: number): number {
    return this.#ends[place] ?? 0;
  }

  /** @returns false: there is no room for it. */
  add(frame: Buffer, from: number, to: number): boolean {
    const end = this.#end + to - from;
    if (this.#count === RECORDS_MAX || end > this.bytes.length) return false;
    frame.copy(this.bytes, this.#end, from, to);
    this.#ends[this.#count] = end;
    this.#count += 1;
    this.#end = end;
    return true;
  }
}
