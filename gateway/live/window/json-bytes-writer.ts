/**
 * JSON that is written byte by byte into memory which grows: what a frame says of ten thousand rows, most of which is
 * copied from bytes, is not made of ten thousand texts first.
 */
import { formatJson } from '../../../api/json/json-text.ts';
import type { JsonValue } from '../../../api/json/json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;
/** A copy of fewer bytes costs less than to ask the engine for one. */
const COPIED_BY_HAND_MAX = 160;
/** To copy what was written costs more than the rest is worth. */
const FULL = 0.75;
/** So many bytes are there for each character of a text, whatever stands in it. */
const UTF8_BYTES_MAX = 3;

export class JsonBytesWriter {
  #bytes: Buffer;
  #at = 0;

  /** @param capacity in bytes, from which it grows. */
  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** How many bytes were written. */
  get size(): number {
    return this.#at;
  }

  /** Of what was written; with the next byte it may be in other memory. */
  slice(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end);
  }

  /** Forgets what was written behind that. */
  cut(size: number): void {
    this.#at = size;
  }

  /** Lets go of memory that nothing was written to, where it is much. */
  trim(): void {
    if (this.#at < FULL * this.#bytes.length) this.#resize(this.#at);
  }

  /** One byte as it is. */
  byte(byte: number): void {
    this.#room(1);
    this.#bytes[this.#at] = byte;
    this.#at += 1;
  }

  /** A few bytes as they are. */
  piece(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** A part of bytes as it is. */
  copy(from: Uint8Array, start: number, end: number): void {
    const length = end - start;
    this.#room(length);
    const bytes = this.#bytes;
    const to = this.#at;
    if (length > COPIED_BY_HAND_MAX) bytes.set(from.subarray(start, end), to);
    else for (let at = 0; at < length; at += 1) bytes[to + at] = from[start + at] ?? 0;
    this.#at = to + length;
  }

  /** A text as a value: a part of it, if it is asked for. */
  text(text: string, start = 0, end = text.length): void {
    this.#room(end - start + 2);
    const bytes = this.#bytes;
    const from = this.#at;
    let to = from;
    bytes[to++] = QUOTE;
    for (let at = start; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) {
        this.value(text.slice(start, end));
        return;
      }
      bytes[to++] = code;
    }
    bytes[to++] = QUOTE;
    this.#at = to;
  }

  /** Any value. */
  value(value: JsonValue): void {
    const json = formatJson(value);
    this.#room(json.length * UTF8_BYTES_MAX);
    this.#at += this.#bytes.write(json, this.#at);
  }

  #room(length: number): void {
    const wanted = this.#at + length;
    if (wanted > this.#bytes.length) this.#resize(Math.max(wanted, 2 * this.#bytes.length));
  }

  #resize(capacity: number): void {
    const bytes = Buffer.allocUnsafeSlow(capacity);
    this.#bytes.copy(bytes, 0, 0, this.#at);
    this.#bytes = bytes;
  }
}
