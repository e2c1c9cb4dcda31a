/**
 * Reads blocks of headers. Each block has to be read, also that of a request that is refused, because
 * the table that it leaves is the one that the next is read with.
 *
 * The surprise: a block of a few bytes may stand for headers of any size, since a byte can name a field
 * of 4 KiB. So what is more than a head may hold is read for the table only, and never made.
 *
 * In the RFCs: RFC 7541, sections 3 and 6.
 */
import { CODE, ConnectionError } from './frames.ts';
import {
  DynamicTable,
  FIELD_OVERHEAD_BYTES,
  STATIC_FIELDS,
  STATIC_MAX,
  TABLE_BYTES,
} from './header-table.ts';
import { decodeHuffman } from './huffman.ts';

/** How much of a head is taken. */
export interface HeadLimits {
  /** How many, pseudo-headers among them. */
  readonly fields: number;
  /** Of a name or a value. */
  readonly fieldBytes: number;
  /** Of all, with 32 bytes more for each field. */
  readonly listBytes: number;
}

/** What a block of headers says. */
export interface DecodedHead {
  /** Names and values by turns; not all of them where there are too many. Bytes are characters. */
  readonly fields: string[];
  /** It is larger than the limits. */
  readonly isTooLarge: boolean;
  /** There is a name or a value that no request may have, whether it is among the fields or not. */
  readonly isMalformed: boolean;
}

const INTEGER_BITS_MAX = 28;

/** A block that is not HPACK; the connection cannot go on. */
class CompressionError extends ConnectionError {
  constructor(message: string) {
    super(CODE.compressionError, message);
  }
}

export class HpackDecoder {
  readonly #table = new DynamicTable();
  readonly #limits: HeadLimits;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;

  constructor(limits: HeadLimits) {
    this.#limits = limits;
  }

  /** @throws ConnectionError where it is no such block. */
  decode(bytes: Buffer, from: number, to: number): DecodedHead {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
    const head = new Head(this.#limits);
    let mayResize = true;
    while (this.#at < this.#end) {
      const byte = bytes[this.#at] as number;
      if ((byte & 0xe0) === 0x20) {
        if (!mayResize) throw new CompressionError('a table is resized behind a field');
        this.#resize(this.#integer(0x1f));
        continue;
      }
      mayResize = false;
      if (byte >= 0x80) this.#indexed(head, this.#integer(0x7f));
      else if (byte >= 0x40) this.#literal(head, this.#integer(0x3f), true);
      else this.#literal(head, this.#integer(0x0f), false);
    }
    this.#bytes = NONE;
    return head;
  }

  #resize(maxBytes: number): void {
    if (maxBytes > TABLE_BYTES) throw new CompressionError('a table is larger than was allowed');
    this.#table.resize(maxBytes);
  }

  #indexed(head: Head, index: number): void {
    if (index > STATIC_MAX) {
      const number = index - STATIC_MAX - 1;
      const name = this.#table.name(number);
      if (name === undefined) throw new CompressionError('a field is not in the table');
      head.add(name, this.#table.value(number), this.#table.isMalformed(number));
      return;
    }
    const field = index === 0 ? undefined : STATIC_FIELDS[index];
    if (field === undefined) throw new CompressionError('a field has no number');
    head.add(field[0], field[1], false);
  }

  #literal(head: Head, index: number, isKept: boolean): void {
    // What is not shown to the request and not kept in the table need not be made.
    const isMade = isKept || !head.isTooLarge;
    const name = index === 0 ? this.#string(isMade) : this.#nameAt(index);
    const value = this.#string(isMade);
    if (!isMade) return;
    const isMalformed = (index === 0 && !NAME.test(name)) || CONTROL.test(value);
    if (isKept) this.#table.add(name, value, isMalformed);
    head.add(name, value, isMalformed);
  }

  #nameAt(index: number): string {
    const name =
      index <= STATIC_MAX ? STATIC_FIELDS[index]?.[0] : this.#table.name(index - STATIC_MAX - 1);
    if (name === undefined) throw new CompressionError('a name is not in the table');
    return name;
  }

  #string(isMade: boolean): string {
    if (this.#at >= this.#end) throw new CompressionError('a block ends before a string');
    const isHuffman = (this.#bytes[this.#at] as number) >= 0x80;
    const length = this.#integer(0x7f);
    const from = this.#at;
    const to = from + length;
    if (to > this.#end) throw new CompressionError('a block ends inside a string');
    this.#at = to;
    if (!isHuffman) return isMade ? this.#bytes.toString('latin1', from, to) : '';
    const needed = Math.ceil((length * BYTE_BITS) / SHORTEST_CODE_BITS);
    const scratch = needed > SCRATCH.length ? Buffer.allocUnsafe(needed) : SCRATCH;
    const decoded = decodeHuffman(this.#bytes, from, to, scratch);
    if (decoded < 0) throw new CompressionError('a string is not in the code');
    return isMade ? textOf(scratch, decoded) : '';
  }

  /** @param mask of the bits that it begins with. */
  #integer(mask: number): number {
    let value = (this.#bytes[this.#at++] as number) & mask;
    if (value < mask) return value;
    for (let shift = 0; shift < INTEGER_BITS_MAX; shift += 7) {
      if (this.#at >= this.#end) throw new CompressionError('a block ends inside a number');
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new CompressionError('a number is too large');
  }
}

/** In lower case; a colon begins the name of a pseudo-header. */
const NAME = /^:?[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** Go takes a value with blanks around it, and none with these. */
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

const NONE = Buffer.alloc(0);

/** Where short strings are decoded: they are read from there at once. */
const SCRATCH = Buffer.alloc(4_096);
const BYTE_BITS = 8;
const SHORTEST_CODE_BITS = 5;

/** From here on a call into the engine is less than a character at a time. */
const SHORT = 24;

function textOf(bytes: Buffer, length: number): string {
  if (length > SHORT) return bytes.toString('latin1', 0, length);
  let text = '';
  for (let at = 0; at < length; at += 1) text += String.fromCharCode(bytes[at] as number);
  return text;
}

class Head implements DecodedHead {
  readonly fields: string[] = [];
  isTooLarge = false;
  isMalformed = false;
  readonly #limits: HeadLimits;
  #bytes = 0;

  constructor(limits: HeadLimits) {
    this.#limits = limits;
  }

  add(name: string, value: string, isMalformed: boolean): void {
    if (isMalformed) this.isMalformed = true;
    if (this.isTooLarge) return;
    const { fields, fieldBytes, listBytes } = this.#limits;
    this.#bytes += name.length + value.length + FIELD_OVERHEAD_BYTES;
    this.isTooLarge =
      this.#bytes > listBytes ||
      this.fields.length >= 2 * fields ||
      name.length > fieldBytes ||
      value.length > fieldBytes;
    if (!this.isTooLarge) this.fields.push(name, value);
  }
}
