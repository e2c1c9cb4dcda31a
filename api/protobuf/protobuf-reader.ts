/**
 * Reads protobuf from bytes that may come from anybody: every length is checked against the
 * message it stands in, nesting is bounded, and whatever is wrong throws one class of error.
 */

/** The bytes are no message of the expected type; `message` is fit to be shown to the client. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** The wire type of bool and all whole numbers. */
export const WIRE_VARINT = 0;
/** The wire type of double. */
export const WIRE_FIXED64 = 1;
/** The wire type of strings, bytes and messages: a length and that many bytes. */
export const WIRE_BYTES = 2;
const WIRE_START_GROUP = 3;
const WIRE_END_GROUP = 4;
const WIRE_FIXED32 = 5;

const DEPTH_MAX = 500;
/** Two bytes are an empty message, and become an object of many fields. */
const MESSAGES_MAX = 100_000;

export class ProtobufReader {
  position = 0;
  readonly #buffer: Buffer;
  /** Where the innermost message ends. */
  #end: number;
  #depth = 0;
  #messages = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  /** Whether the innermost message has more fields. */
  get hasMore(): boolean {
    return this.position < this.#end;
  }

  /** Begins the message whose length stands here; the result is for {@link leave}. */
  enter(): number {
    const size = this.#length();
    if (++this.#depth > DEPTH_MAX) throw new ProtobufError('proto: exceeded max depth');
    const outer = this.#end;
    this.#end = this.position + size;
    return outer;
  }

  /** Notes that a message of many fields begins. */
  countMessage(): void {
    if (++this.#messages > MESSAGES_MAX) throw new ProtobufError('proto: too many messages');
  }

  leave(outer: number): void {
    this.#depth--;
    this.#end = outer;
  }

  /** Field number times eight plus wire type. */
  tag(): number {
    const tag = this.unsigned();
    const field = Math.floor(tag / 8);
    if (field === 0 || tag > 0xffff_ffff) {
      throw new ProtobufError(`proto: illegal tag ${String(field)} (wire type ${String(tag % 8)})`);
    }
    return tag;
  }

  /** A varint as an unsigned number, rounded beyond 2^53. */
  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw new ProtobufError('proto: integer overflow');
  }

  /** A varint as int64, as JSON values have it: a bigint beyond 2^53. */
  int64(): number | bigint {
    let low = 0;
    let high = 0;
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (count < 4) low |= bits << (7 * count);
      else if (count === 4) [low, high] = [low | (bits << 28), bits >>> 4];
      else high |= bits << (7 * count - 32);
      if (byte < 0x80) return int64OfHalves(high | 0, low >>> 0);
    }
    throw new ProtobufError('proto: integer overflow');
  }

  /** A varint cut to 32 bits, as Go cuts it. */
  int32(): number {
    let value = 0;
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte();
      if (count < 5) value |= (byte & 0x7f) << (7 * count);
      if (byte < 0x80) return value;
    }
    throw new ProtobufError('proto: integer overflow');
  }

  bool(): boolean {
    return this.unsigned() !== 0;
  }

  double(): number {
    this.#skipBytes(8);
    return this.#buffer.readDoubleLE(this.position - 8);
  }

  string(): string {
    const size = this.#length();
    this.position += size;
    return this.#buffer.toString('utf8', this.position - size, this.position);
  }

  /** A view, not a copy. */
  bytes(): Buffer {
    const size = this.#length();
    this.position += size;
    return this.#buffer.subarray(this.position - size, this.position);
  }

  /** Passes over a field whose tag was read. */
  skip(wireType: number): void {
    switch (wireType) {
      case WIRE_VARINT:
        this.unsigned();
        return;
      case WIRE_FIXED64:
        this.#skipBytes(8);
        return;
      case WIRE_BYTES:
        this.#skipBytes(this.#length());
        return;
      case WIRE_START_GROUP:
        this.#skipGroup();
        return;
      case WIRE_FIXED32:
        this.#skipBytes(4);
        return;
      default:
        throw new ProtobufError(`proto: illegal wireType ${String(wireType)}`);
    }
  }

  /** Groups nest without lengths, so they are counted instead of recursed into. */
  #skipGroup(): void {
    for (let open = 1; open > 0;) {
      const wireType = this.tag() % 8;
      if (wireType === WIRE_START_GROUP) open++;
      else if (wireType === WIRE_END_GROUP) open--;
      else this.skip(wireType);
    }
  }

  #skipBytes(size: number): void {
    if (size > this.#end - this.position) throw unexpectedEnd();
    this.position += size;
  }

  /** A length that the rest of the message can hold. */
  #length(): number {
    const size = this.unsigned();
    if (size > this.#end - this.position) throw unexpectedEnd();
    return size;
  }

  #byte(): number {
    if (this.position >= this.#end) throw unexpectedEnd();
    return this.#buffer[this.position++] ?? 0;
  }
}

function int64OfHalves(high: number, low: number): number | bigint {
  const value = high * 2 ** 32 + low;
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low);
}

function unexpectedEnd(): ProtobufError {
  return new ProtobufError('unexpected EOF');
}
