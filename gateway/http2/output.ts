/**
 * The bytes that one connection hands to its socket at the end of a turn of the event loop: one write
 * for all. They are made in a slab that all connections share, since each hands over what it has made
 * before another one begins.
 */
import { FLAG, FRAME, FRAME_BYTES_MAX, FRAME_HEAD_BYTES, writeFrameHead } from './frames.ts';

const SLAB_BYTES = 64 * 1_024;

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
let slabAt = 0;

export class Output {
  #from = slabAt;
  #before: Buffer[] = [];
  /** How many there are. */
  size = 0;

  /** Begins anew, as what was handed over may not be sent yet. */
  begin(): void {
    this.#from = slabAt;
    this.#before = [];
    this.size = 0;
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    slab.set(bytes, slabAt);
    slabAt += bytes.length;
    this.size += bytes.length;
  }

  /** A block of headers, in as many frames as it takes. */
  headers(stream: number, block: Buffer, isEnd: boolean): void {
    let type: number = FRAME.headers;
    let at = 0;
    do {
      const length = Math.min(FRAME_BYTES_MAX, block.length - at);
      const isLast = at + length === block.length;
      const flags =
        (isLast ? FLAG.endHeaders : 0) | (type === FRAME.headers && isEnd ? FLAG.endStream : 0);
      this.#frame(type, flags, stream, length);
      slabAt += block.copy(slab, slabAt, at, at + length);
      at += length;
      type = FRAME.continuation;
    } while (at < block.length);
  }

  /** @param move writes the payload where it is told. */
  data(stream: number, length: number, isEnd: boolean, from: PayloadSource): void {
    this.#frame(FRAME.data, isEnd ? FLAG.endStream : 0, stream, length);
    if (length > 0) from.moveTo(slab, slabAt, length);
    slabAt += length;
  }

  /** All that was made, in one piece mostly. */
  take(): Buffer {
    const last = slab.subarray(this.#from, slabAt);
    const all = this.#before.length === 0 ? last : Buffer.concat([...this.#before, last]);
    this.begin();
    return all;
  }

  #frame(type: number, flags: number, stream: number, length: number): void {
    this.#room(FRAME_HEAD_BYTES + length);
    slabAt = writeFrameHead(slab, slabAt, { type, flags, stream, length });
    this.size += FRAME_HEAD_BYTES + length;
  }

  #room(bytes: number): void {
    if (slabAt + bytes <= SLAB_BYTES) return;
    if (slabAt > this.#from) this.#before.push(slab.subarray(this.#from, slabAt));
    slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
    slabAt = 0;
    this.#from = 0;
  }
}

/** Where the payload of a frame comes from. */
export interface PayloadSource {
  moveTo(target: Buffer, at: number, bytes: number): void;
}
