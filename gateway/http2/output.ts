/**
 * The bytes that one connection hands to its socket at the end of a turn of the event loop: one write
 * for all. They are made in a slab that all connections share, since each hands over what it has made
 * before another one begins. A slab whose bytes are all sent is written again from its start: a list of
 * 20 MB in slabs of its own makes the garbage collector mark everything that lives, several times.
 */
import type { Writable } from 'node:stream';
import type { ByteSource } from '../responses/exchange.ts';
import { FLAG, FRAME, FRAME_BYTES_MAX, FRAME_HEAD_BYTES, writeFrameHead } from './frames.ts';

/** More than a connection hands over at a time. */
const SLAB_BYTES = 96 * 1_024;
/** Kept for the next ones; more are in use only while many clients are slow. */
const SPARE_SLABS = 16;

class Slab {
  readonly bytes: Buffer;
  /** Writes that the sockets have not finished. */
  unsent = 0;
  readonly sent = (): void => {
    this.unsent -= 1;
    if (this.unsent === 0 && this !== slab) spare(this);
  };

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }
}

const spares: Slab[] = [];
let slab = new Slab(SLAB_BYTES);
let slabAt = 0;

export class Output {
  #from = slabAt;
  /** How many there are. */
  size = 0;

  /** What was handed over before may not be sent yet. */
  begin(): void {
    if (slab.unsent === 0) slabAt = 0;
    this.#from = slabAt;
    this.size = 0;
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    slab.bytes.set(bytes, slabAt);
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
      slabAt += block.copy(slab.bytes, slabAt, at, at + length);
      at += length;
      type = FRAME.continuation;
    } while (at < block.length);
  }

  /** @param move writes the payload where it is told. */
  data(stream: number, length: number, isEnd: boolean, from: Pick<ByteSource, 'moveTo'>): void {
    this.#frame(FRAME.data, isEnd ? FLAG.endStream : 0, stream, length);
    if (length > 0) from.moveTo(slab.bytes, slabAt, length);
    slabAt += length;
  }

  /** All that was made. @returns whether the socket takes more. */
  writeTo(socket: Writable): boolean {
    slab.unsent += 1;
    return socket.write(slab.bytes.subarray(this.#from, slabAt), slab.sent);
  }

  /** All that was made, to be kept. */
  copy(): Buffer {
    return Buffer.from(slab.bytes.subarray(this.#from, slabAt));
  }

  #frame(type: number, flags: number, stream: number, length: number): void {
    this.#room(FRAME_HEAD_BYTES + length);
    slabAt = writeFrameHead(slab.bytes, slabAt, { type, flags, stream, length });
    this.size += FRAME_HEAD_BYTES + length;
  }

  /** One piece stays one piece: what was made so far moves to the next slab. */
  #room(bytes: number): void {
    if (slabAt + bytes <= slab.bytes.length) return;
    const full = slab;
    const made = slabAt - this.#from;
    slab = nextSlab(made + bytes);
    slabAt = full.bytes.copy(slab.bytes, 0, this.#from, slabAt);
    this.#from = 0;
    if (full.unsent === 0) spare(full);
  }
}

function nextSlab(bytes: number): Slab {
  return (bytes <= SLAB_BYTES ? spares.pop() : undefined) ?? new Slab(Math.max(SLAB_BYTES, bytes));
}

function spare(one: Slab): void {
  if (spares.length < SPARE_SLABS && one.bytes.length === SLAB_BYTES) spares.push(one);
}
