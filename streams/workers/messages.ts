/**
 * What the owner of a log and its workers tell each other, over a pipe between two processes. A message is
 *
 *     bytes 0–3   how many bytes follow
 *     byte 4      what it is, see {@link MESSAGE}
 *     the rest    as the functions below write it
 *
 * Records are told as the bytes that lie in the log, a block: how many, the size of each, then all of them.
 * Numbers are unsigned and big-endian; versions take eight bytes.
 */
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX } from '../event-log.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

/** What a message is. */
export const MESSAGE = {
  /** Owner: the end of the log when the worker came. */
  hello: 1,
  /**
   * Worker: a block is to be appended, if the append of the number that follows the message's own is not refused; 0 where
   * none is under way. Answered by `group` or `refused`.
   */
  append: 2,
  /** Owner: a group is durable, in parts: see {@link PART}. */
  group: 3,
  /** Owner: nothing of that append or cut was done, or it is unknown whether. */
  refused: 4,
  /** Worker: records are to be removed; answered by `trimmed` or `refused`. */
  trim: 5,
  /** Owner: it is done. */
  trimmed: 6,
  /** Owner: the log was cut; the log itself says how. */
  cut: 7,
} as const;

/** How a group tells a part of it. */
export const PART = {
  /** An append of this worker, by its number. */
  own: 1,
  /** A block. */
  block: 2,
  /** So many records, to be read from the log: the worker has not taken what it was told before. */
  inLog: 3,
} as const;

const LENGTH_BYTES = 4;
const HEAD_BYTES = LENGTH_BYTES + 1;
const NUMBER_BYTES = 4;
const VERSION_BYTES = 8;
/** A group is one append of the largest size, or less. Behind it are sizes, and texts of failures. */
const MESSAGE_BYTES_MAX = APPEND_BYTES_MAX + (APPEND_EVENTS_MAX + 4_096) * 16 + 1024 * 1024;

/** A message whose parts are written one after the other. */
export class MessageWriter {
  readonly #pieces: Buffer[] = [];
  #bytes = 1;

  /** @param kind one of {@link MESSAGE}. */
  constructor(kind: number) {
    this.#pieces.push(Buffer.alloc(HEAD_BYTES));
    this.#pieces[0]?.writeUInt8(kind, LENGTH_BYTES);
  }

  number(value: number): this {
    const piece = Buffer.allocUnsafe(NUMBER_BYTES);
    piece.writeUInt32BE(value);
    return this.bytes(piece);
  }

  version(value: ResourceVersion): this {
    const piece = Buffer.allocUnsafe(VERSION_BYTES);
    piece.writeBigUInt64BE(BigInt(value));
    return this.bytes(piece);
  }

  /** The block of these frames. */
  frames(frames: readonly Buffer[]): this {
    const sizes = Buffer.allocUnsafe(NUMBER_BYTES * (frames.length + 1));
    sizes.writeUInt32BE(frames.length);
    for (const [at, { length }] of frames.entries()) {
      sizes.writeUInt32BE(length, NUMBER_BYTES * (at + 1));
    }
    this.bytes(sizes);
    for (const frame of frames) this.bytes(frame);
    return this;
  }

  /** To the end of the message. */
  json(value: unknown): this {
    return this.bytes(Buffer.from(JSON.stringify(value)));
  }

  bytes(piece: Buffer): this {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    return this;
  }

  /** The whole message, in one piece. */
  finish(): Buffer {
    this.#pieces[0]?.writeUInt32BE(this.#bytes);
    return Buffer.concat(this.#pieces, LENGTH_BYTES + this.#bytes);
  }
}

/** A message that has come, read from its beginning to its end. */
export class Message {
  readonly kind: number;
  readonly #bytes: Buffer;
  #at = 1;

  /** @param bytes all behind the length; not written to elsewhere. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.kind = bytes.readUInt8(0);
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += NUMBER_BYTES;
    return value;
  }

  version(): ResourceVersion {
    const value = this.#bytes.readBigUInt64BE(this.#at);
    this.#at += VERSION_BYTES;
    return resourceVersion(Number(value));
  }

  /** The frames of a block; they share the memory of the message. */
  frames(): Buffer[] {
    const count = this.number();
    let start = this.#at + NUMBER_BYTES * count;
    const frames: Buffer[] = [];
    for (let at = 0; at < count; at += 1) {
      const end = start + this.number();
      frames.push(this.#bytes.subarray(start, end));
      start = end;
    }
    this.#at = start;
    return frames;
  }

  /** What is left, as it was written by {@link MessageWriter.json}. */
  json(): unknown {
    const text = this.#bytes.toString('utf8', this.#at);
    this.#at = this.#bytes.length;
    return JSON.parse(text);
  }
}

/** Gathers messages from the pieces in which a pipe gives them. */
export class MessageReader {
  readonly #take: (message: Message) => void;
  readonly #length = Buffer.alloc(LENGTH_BYTES);
  #lengthBytes = 0;
  #body: Buffer | undefined;
  #bodyBytes = 0;

  /** @param take is called for each message, in order. */
  constructor(take: (message: Message) => void) {
    this.#take = take;
  }

  /** @throws {RangeError} the other end is out of step: no message is that long. */
  read(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      at += this.#body === undefined ? this.#readLength(piece, at) : this.#readBody(piece, at);
    }
  }

  #readLength(piece: Buffer, at: number): number {
    const taken = piece.copy(this.#length, this.#lengthBytes, at);
    this.#lengthBytes += taken;
    if (this.#lengthBytes === LENGTH_BYTES) {
      const length = this.#length.readUInt32BE(0);
      if (length < 1 || length > MESSAGE_BYTES_MAX) {
        throw new RangeError(`a message of ${String(length)} bytes`);
      }
      this.#lengthBytes = 0;
      // Of its own: what is read out of it lives as long as the records that it holds.
      this.#body = Buffer.allocUnsafeSlow(length);
    }
    return taken;
  }

  #readBody(piece: Buffer, at: number): number {
    const body = this.#body ?? Buffer.alloc(0);
    const taken = piece.copy(body, this.#bodyBytes, at);
    this.#bodyBytes += taken;
    if (this.#bodyBytes === body.length) {
      this.#body = undefined;
      this.#bodyBytes = 0;
      this.#take(new Message(body));
    }
    return taken;
  }
}
