/**
 * Cuts what a peer sends into frames. A frame that comes whole is read where it lies; of one that
 * comes in pieces each byte is copied once, however small the pieces are.
 *
 * In the RFCs: RFC 9113, sections 3.4 and 4.1.
 */
import type { Frame } from './frame-rules.ts';
import { CODE, ConnectionError, FRAME_BYTES_MAX, FRAME_HEAD_BYTES, STREAM_MAX } from './frames.ts';

/** What every client says first. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Takes a frame. It is the same object for all of them, so it must not be kept. */
export type FrameTaker = (frame: Frame) => void;

export class FrameReader {
  readonly #take: FrameTaker;
  readonly #preface: Buffer;
  readonly #current = { type: 0, flags: 0, stream: 0, bytes: NONE, isOwn: false, from: 0, to: 0 };
  #prefaceAt = 0;
  /** The beginning of a frame, and how much of it there is. */
  #partial: Buffer | undefined;
  #partialBytes = 0;

  /** @param preface what the peer says before its first frame. */
  constructor(take: FrameTaker, preface: Buffer = PREFACE) {
    this.#take = take;
    this.#preface = preface;
  }

  /** @throws ConnectionError where it is no preface or a frame is too large; and what the taker throws. */
  read(chunk: Buffer): void {
    let at = this.#prefaceAt < this.#preface.length ? this.#readPreface(chunk) : 0;
    while (at < chunk.length) {
      if (this.#partial !== undefined) at = this.#fill(this.#partial, chunk, at);
      else if (chunk.length - at < FRAME_HEAD_BYTES) at = this.#keep(FRAME_HEAD_BYTES, chunk, at);
      else {
        const end = at + FRAME_HEAD_BYTES + lengthAt(chunk, at);
        if (end > chunk.length) at = this.#keep(end - at, chunk, at);
        else {
          this.#current.isOwn = false;
          this.#frame(chunk, at, end);
          at = end;
        }
      }
    }
  }

  #readPreface(chunk: Buffer): number {
    const preface = this.#preface;
    const length = Math.min(preface.length - this.#prefaceAt, chunk.length);
    if (preface.compare(chunk, 0, length, this.#prefaceAt, this.#prefaceAt + length) !== 0) {
      throw new ConnectionError(CODE.protocolError, 'the client does not speak HTTP/2');
    }
    this.#prefaceAt += length;
    return length;
  }

  #keep(lengthBytes: number, chunk: Buffer, at: number): number {
    this.#partial = Buffer.allocUnsafe(lengthBytes);
    this.#partialBytes = chunk.copy(this.#partial, 0, at);
    return chunk.length;
  }

  #fill(partial: Buffer, chunk: Buffer, at: number): number {
    const copied = chunk.copy(partial, this.#partialBytes, at);
    this.#partialBytes += copied;
    if (this.#partialBytes < partial.length) return at + copied;
    const length = lengthAt(partial, 0);
    if (partial.length === FRAME_HEAD_BYTES && length > 0) {
      this.#partial = Buffer.allocUnsafe(FRAME_HEAD_BYTES + length);
      partial.copy(this.#partial);
    } else {
      this.#partial = undefined;
      this.#current.isOwn = true;
      this.#frame(partial, 0, partial.length);
    }
    return at + copied;
  }

  #frame(bytes: Buffer, at: number, end: number): void {
    const frame = this.#current;
    frame.type = bytes[at + 3] as number;
    frame.flags = bytes[at + 4] as number;
    frame.stream = bytes.readUInt32BE(at + 5) & STREAM_MAX;
    frame.bytes = bytes;
    frame.from = at + FRAME_HEAD_BYTES;
    frame.to = end;
    this.#take(frame);
    frame.bytes = NONE;
  }
}

const NONE: Buffer = Buffer.alloc(0);

function lengthAt(bytes: Buffer, at: number): number {
  const length =
    ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
  if (length > FRAME_BYTES_MAX)
    throw new ConnectionError(CODE.frameSizeError, 'a frame is too large');
  return length;
}
