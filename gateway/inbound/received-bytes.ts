/**
 * Bytes that were received and are not read yet. Pieces that are small are gathered, because each piece
 * by itself holds on to all that was received with it.
 */
const SMALL_BYTES = 2_048;
const GATHERED_BYTES = 16_384;

/** Where small copies lie beside each other: those of bodies, which all are over soon. */
let copies = Buffer.alloc(0);
let copiesBytes = 0;

/** The same bytes, of which nothing is lost when what was received is read over. */
export function ownCopy(received: Buffer): Buffer {
  const { length } = received;
  if (length >= GATHERED_BYTES / 4) {
    const alone = Buffer.allocUnsafeSlow(length);
    alone.set(received);
    return alone;
  }
  if (copiesBytes + length > copies.length) {
    copies = Buffer.allocUnsafeSlow(GATHERED_BYTES);
    copiesBytes = 0;
  }
  const from = copiesBytes;
  copiesBytes += length;
  copies.set(received, from);
  return copies.subarray(from, copiesBytes);
}

export class ReceivedBytes {
  #chunks: Buffer[] = [];
  /** The last of the chunks, where it has room left; how much of it is used. */
  #tail: Buffer | undefined;
  #tailBytes = 0;
  /** How many there are. */
  size = 0;

  add(chunk: Buffer): void {
    // Peers end a body with a frame that carries nothing; a tail for it would cost more than the body.
    if (chunk.length === 0) return;
    this.size += chunk.length;
    if (this.#tail !== undefined && chunk.length <= this.#tail.length - this.#tailBytes) {
      this.#tailBytes += chunk.copy(this.#tail, this.#tailBytes);
      return;
    }
    this.#closeTail();
    if (chunk.length >= SMALL_BYTES || this.#chunks.length === 0) {
      this.#chunks.push(chunk);
      return;
    }
    this.#tail = Buffer.allocUnsafeSlow(GATHERED_BYTES);
    this.#tailBytes = chunk.copy(this.#tail);
  }

  /** All of them, which are not held any more. */
  take(): Buffer {
    this.#closeTail();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.size = 0;
    const [first = NONE] = chunks;
    return chunks.length <= 1 ? first : Buffer.concat(chunks);
  }

  #closeTail(): void {
    if (this.#tail !== undefined) this.#chunks.push(this.#tail.subarray(0, this.#tailBytes));
    this.#tail = undefined;
  }
}

const NONE = Buffer.alloc(0);
