/**
 * Frames of SPDY/3.1, as far as a client of exec and attach needs them: it opens streams, sends and receives
 * their bytes, and is told that one has ended.
 *
 * The surprise: no header is ever inflated. Those that are sent stand in stored blocks, which every inflater
 * reads; those of answers say nothing that a client of containers needs, and pass unread. So there is no
 * dictionary, no state between frames, and no answer that grows.
 *
 * In Go: moby/spdystream/spdy. The protocol: SPDY draft 3.1, sections 2.2 and 2.6.
 */

/** What comes, in the order in which it came. `data` may be a part of what one frame carries. */
export type SpdyEvent =
  | {
      readonly kind: 'data';
      readonly stream: number;
      readonly bytes: Buffer;
      readonly isLast: boolean;
    }
  | { readonly kind: 'opened'; readonly stream: number; readonly isLast: boolean }
  /** The other end opens a stream of its own, which no node does. */
  | { readonly kind: 'offered'; readonly stream: number }
  | { readonly kind: 'reset'; readonly stream: number; readonly code: number }
  | { readonly kind: 'ping'; readonly id: number }
  | { readonly kind: 'goaway' };

/** What came is no SPDY/3.1. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

/** Of a frame of either sort. */
export const HEAD_BYTES = 8;
const VERSION = 3;
const CONTROL = 0x80;
const FIN = 1;
/** Of a control frame, whose largest are headers of answers. */
export const CONTROL_BYTES_MAX = 64 * 1024;
/** What 24 bits tell. */
const DATA_BYTES_MAX = 0xff_ff_ff;

const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;

const EMPTY = Buffer.alloc(0);

/** Takes bytes apart as they come, wherever they are cut. Holds at most one control frame. */
export class SpdyReader {
  #held: Buffer = EMPTY;
  /** What is left of the data frame that is being read; 0: none is. */
  #left = 0;
  #stream = 0;
  #isLast = false;

  /** @throws SpdyError */
  *read(chunk: Buffer): Generator<SpdyEvent> {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = EMPTY;
    while (rest.length > 0) {
      if (this.#left > 0) {
        const bytes = rest.subarray(0, this.#left);
        rest = rest.subarray(bytes.length);
        this.#left -= bytes.length;
        yield this.#data(bytes, this.#left === 0 && this.#isLast);
        continue;
      }
      if (rest.length < HEAD_BYTES) break;
      const sizeBytes = rest.readUIntBE(5, 3);
      if (((rest[0] ?? 0) & CONTROL) === 0) {
        this.#stream = rest.readUInt32BE(0);
        this.#isLast = ((rest[4] ?? 0) & FIN) !== 0;
        this.#left = sizeBytes;
        rest = rest.subarray(HEAD_BYTES);
        if (sizeBytes === 0) yield this.#data(EMPTY, this.#isLast);
        continue;
      }
      if (sizeBytes > CONTROL_BYTES_MAX) throw new SpdyError('a control frame is too large');
      if (rest.length < HEAD_BYTES + sizeBytes) break;
      const event = controlEvent(rest.subarray(0, HEAD_BYTES + sizeBytes));
      rest = rest.subarray(HEAD_BYTES + sizeBytes);
      if (event !== undefined) yield event;
    }
    // A copy, so that a large chunk is not kept for a few bytes of it.
    if (rest.length > 0) this.#held = Buffer.from(rest);
  }

  #data(bytes: Buffer, isLast: boolean): SpdyEvent {
    return { kind: 'data', stream: this.#stream, bytes, isLast };
  }
}

/** Follows frames by their heads, wherever their bytes are cut, and keeps none of them but a head that is not whole. */
export class FrameWalk {
  #head: Buffer = EMPTY;
  /** Of the frame that is under way: what has not come yet. */
  #left = 0;

  /** @returns what stands whole at the end of these bytes: a frame that ends a stream and carries nothing, or anything else. */
  pass(chunk: Buffer): 'end of a stream' | undefined {
    let at = this.#finishHead(chunk);
    while (at + this.#left < chunk.length) {
      at += this.#left;
      this.#left = 0;
      if (chunk.length - at < HEAD_BYTES) {
        this.#head = Buffer.from(chunk.subarray(at));
        return undefined;
      }
      this.#left = chunk.readUIntBE(at + 5, 3);
      const isEmptyData = this.#left === 0 && ((chunk[at] ?? 0) & CONTROL) === 0;
      const isEnd = isEmptyData && ((chunk[at + 4] ?? 0) & FIN) !== 0;
      at += HEAD_BYTES;
      if (isEnd && at === chunk.length) return 'end of a stream';
    }
    this.#left -= chunk.length - at;
    return undefined;
  }

  /** @returns where the rest of the chunk begins. */
  #finishHead(chunk: Buffer): number {
    if (this.#head.length === 0) return 0;
    const more = chunk.subarray(0, HEAD_BYTES - this.#head.length);
    this.#head = Buffer.concat([this.#head, more]);
    if (this.#head.length < HEAD_BYTES) return more.length;
    this.#left = this.#head.readUIntBE(5, 3);
    this.#head = EMPTY;
    return more.length;
  }
}

/** undefined: a frame that changes nothing here, as SETTINGS. @throws SpdyError */
function controlEvent(frame: Buffer): SpdyEvent | undefined {
  const version = frame.readUInt16BE(0) & 0x7fff;
  if (version !== VERSION) throw new SpdyError(`a frame of version ${String(version)}`);
  const payload = frame.subarray(HEAD_BYTES);
  const isLast = ((frame[4] ?? 0) & FIN) !== 0;
  const word = (at: number): number => {
    if (payload.length < at + 4) throw new SpdyError('a control frame is too short');
    return payload.readUInt32BE(at);
  };
  switch (frame.readUInt16BE(2)) {
    case SYN_STREAM:
      return { kind: 'offered', stream: word(0) };
    case SYN_REPLY:
      return { kind: 'opened', stream: word(0), isLast };
    case RST_STREAM:
      return { kind: 'reset', stream: word(0), code: word(4) };
    case PING:
      return { kind: 'ping', id: word(0) };
    case GOAWAY:
      return { kind: 'goaway' };
    default:
      return undefined;
  }
}

function control(type: number, payload: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(0x8000 | VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(
    payload.reduce((sum, { length }) => sum + length, 0),
    5,
    3,
  );
  return Buffer.concat([head, ...payload]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

/** Of zlib: deflate with a window of 32 KiB and without a dictionary. */
const ZLIB_HEAD = Buffer.from([0x78, 0x01]);
/** An empty block, at which inflaters give on what they have. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Writes the frames of one connection. */
export class SpdyWriter {
  #hasBegun = false;

  /** @param headers with names in lower case; a few hundred bytes together. */
  synStream(stream: number, headers: Readonly<Record<string, string>>): Buffer {
    const entries = Object.entries(headers);
    const texts = entries
      .flat()
      .flatMap((text) => [words(Buffer.byteLength(text)), Buffer.from(text)]);
    const block = Buffer.concat([words(entries.length), ...texts]);
    const stored = Buffer.alloc(5);
    stored.writeUInt16LE(block.length, 1);
    stored.writeUInt16LE(~block.length & 0xffff, 3);
    const zlib = this.#hasBegun ? EMPTY : ZLIB_HEAD;
    this.#hasBegun = true;
    return control(SYN_STREAM, [words(stream, 0), Buffer.alloc(2), zlib, stored, block, FLUSH]);
  }
}

/** The head of a data frame of so many bytes. @param isLast nothing more is sent on the stream. */
export function dataHead(stream: number, sizeBytes: number, isLast: boolean): Buffer {
  if (sizeBytes > DATA_BYTES_MAX) throw new Error('more than a frame can tell');
  const head = words(stream, sizeBytes);
  head[4] = isLast ? FIN : 0;
  return head;
}

/** A ping; the answer to one is the same. Those of clients have odd numbers. */
export function pingFrame(id: number): Buffer {
  return control(PING, [words(id)]);
}

/** Refuses a stream that the other end has opened. */
export function refusedStream(stream: number): Buffer {
  const refused = 3;
  return control(RST_STREAM, [words(stream, refused)]);
}
