/**
 * A block of headers that comes in several frames, gathered until it is whole. This is before any
 * authentication, so it is bounded: in bytes, in frames, and in the bytes of all connections together.
 */
import { CODE, ConnectionError } from './frames.ts';

/** So many frames may be small, and one more for each of these bytes. */
const FRAMES_MIN = 16;
const BYTES_PER_FRAME = 1_024;

/** The blocks that have begun and are not whole, of all peers of a kind. */
export class HeldBlocks {
  bytes = 0;
}

/** Of the clients of this server. */
export const OF_CLIENTS = new HeldBlocks();
const HELD_BYTES_MAX = 64 * 1_024 * 1_024;

export interface HeaderBlockStart {
  readonly stream: number;
  /** Nothing follows it on the stream. */
  readonly isEnd: boolean;
  readonly bytesMax: number;
  readonly held: HeldBlocks;
}

export class HeaderBlock {
  readonly stream: number;
  /** Nothing follows it on the stream. */
  readonly isEnd: boolean;
  readonly #bytesMax: number;
  readonly #held: HeldBlocks;
  #pieces: Buffer[] = [];
  #frames = 0;
  #size = 0;

  constructor({ stream, isEnd, bytesMax, held }: HeaderBlockStart) {
    this.stream = stream;
    this.isEnd = isEnd;
    this.#bytesMax = bytesMax;
    this.#held = held;
  }

  /** @throws ConnectionError where it gets too large; {@link drop} it then. */
  add(bytes: Buffer, from: number, to: number): void {
    this.#frames += 1;
    this.#size += to - from;
    this.#held.bytes += to - from;
    this.#pieces.push(Buffer.from(bytes.subarray(from, to)));
    const isFlood = this.#frames > FRAMES_MIN + this.#size / BYTES_PER_FRAME;
    if (isFlood || this.#size > this.#bytesMax || this.#held.bytes > HELD_BYTES_MAX) {
      throw new ConnectionError(CODE.enhanceYourCalm, 'a block of headers is too large');
    }
  }

  whole(): Buffer {
    const bytes = Buffer.concat(this.#pieces);
    this.drop();
    return bytes;
  }

  /** It is not gathered any more. */
  drop(): void {
    this.#held.bytes -= this.#size;
    this.#size = 0;
    this.#pieces = [];
  }
}
