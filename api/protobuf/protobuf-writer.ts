/**
 * Writes protobuf from the end to the beginning. So the length of a message is known when it is
 * to be written in front of it, and nothing is measured twice or moved. Everything is to be
 * written in reverse: the last field first, and within a field the value before its tag.
 *
 * In Kubernetes: the MarshalToSizedBuffer methods that gogo generates.
 */

const FIRST_SIZE_BYTES = 4096;
/** What a writer keeps between two messages at most. */
const KEPT_BYTES_MAX = 1024 * 1024;
/** A shorter text is written before the engine is called for it, twice. */
const SHORT = 64;
const ASCII_MAX = 0x7f;

export class ProtobufWriter {
  #buffer: Buffer = Buffer.allocUnsafe(FIRST_SIZE_BYTES);
  #start: number = FIRST_SIZE_BYTES;

  /** How many bytes are written; the difference of two is the length of what is between them. */
  get written(): number {
    return this.#buffer.length - this.#start;
  }

  /** Forgets what was written and keeps the memory, unless it is much. */
  reset(): void {
    if (this.#buffer.length > KEPT_BYTES_MAX) this.#buffer = Buffer.allocUnsafe(FIRST_SIZE_BYTES);
    this.#start = this.#buffer.length;
  }

  /** A copy of what was written. */
  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#start));
  }

  /** Copies what was written to where there is room for it. */
  copyTo(target: Buffer, at: number): void {
    this.#buffer.copy(target, at, this.#start);
  }

  tag(field: number, wireType: number): void {
    this.unsigned(field * 8 + wireType);
  }

  /** A varint of 0 to 2^53. */
  unsigned(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#buffer[--this.#start] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    this.#reserve(size);
    this.#start -= size;
    let rest = value;
    for (let index = 0; index < size; index++) {
      const more = index < size - 1 ? 0x80 : 0;
      this.#buffer[this.#start + index] = (rest % 0x80) | more;
      rest = Math.floor(rest / 0x80);
    }
  }

  /** A varint of int32 or int64; a negative one takes ten bytes. */
  signed(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
      this.unsigned(value);
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    const bytes: number[] = [];
    while (rest >= 0x80n) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.bytes(Uint8Array.from(bytes));
  }

  double(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  /** The bytes alone, without a length. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#buffer.set(bytes, this.#start);
  }

  /** The UTF-8 bytes and, in front of them, their length. */
  string(text: string): void {
    if (text.length <= SHORT && this.#writeAscii(text)) return;
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#start -= size;
    this.#buffer.write(text, this.#start, size);
    this.unsigned(size);
  }

  /** False where it is something else. */
  #writeAscii(text: string): boolean {
    const { length } = text;
    this.#reserve(length);
    const buffer = this.#buffer;
    const from = this.#start - length;
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (code > ASCII_MAX) return false;
      buffer[from + at] = code;
    }
    this.#start = from;
    this.unsigned(length);
    return true;
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const old = this.#buffer;
    const { written } = this;
    const larger = Buffer.allocUnsafe(Math.max(old.length * 2, written + size + old.length));
    old.copy(larger, larger.length - written, this.#start);
    this.#buffer = larger;
    this.#start = larger.length - written;
  }
}
