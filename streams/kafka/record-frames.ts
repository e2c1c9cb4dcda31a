/**
 * Records of a topic as the frames in which they lie in the local copy, made of their bytes with no text between: a server
 * that reads a whole topic has nothing else to do with them. A frame is what `encodeRecord` makes of the event.
 *
 * The surprise: it knows only what `recordOf` writes of plain texts. A record with anything else in it, as an escape, a letter
 * beyond ASCII or a header of another program, is decoded as everywhere else.
 */
import { crc32 } from 'node:zlib';
import {
  CHECKSUM_AT,
  encodeRecord,
  eventOf,
  HEADER_AT,
  HEADER_SIZE_AT,
  LAYOUT,
  requirementsOf,
  requirementTupleOf,
  TYPE_PREFIX,
} from '../event-codec.ts';
import { resourceVersion } from '../resource-version.ts';
import { NAMES } from './record-headers.ts';
import { recordIn, wholeBatches } from './record-batch.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const POINT = 0x2e;
const SLASH = 0x2f;
const ZULU = 0x5a;
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const NOT_ASCII = 0x80;
const NOT_PLAIN = -1;
/** Of a whole number that is exact as a double. */
const DIGITS_MAX = 15;
/** Of a varint of two bytes, as zigzag has it. */
const TWO_BYTES_FROM = 0x80;

const TIME = 'YYYY-MM-DDTHH:MM:SS.mmmZ'.length;
const MINUTE = 'YYYY-MM-DDTHH:MM:'.length;
const MINUTE_MS = 60_000;

const NAME_BYTES = NAMES.map((name) => Buffer.from(name, 'latin1'));
const TYPE_AT = NAMES.indexOf('ce_type');
const TIME_AT = NAMES.indexOf('ce_time');
const WRITER_AT = NAMES.indexOf('writer');
const SEQUENCE_AT = NAMES.indexOf('sequence');
const PREVIOUS_AT = NAMES.indexOf('previousResourceVersion');
const REQUIRES_AT = NAMES.indexOf('requires');
/** The last ones are texts, in the order in which a frame has them. */
const UID_AT = NAMES.indexOf('uid');
const PREFIX_BYTES = Buffer.from(TYPE_PREFIX, 'latin1');
const TYPES = ['added', 'modified', 'deleted'].map((type) => Buffer.from(type, 'latin1'));

/**
 * The frames of the records from `from` on, without a gap.
 *
 * @param bytes record batches one behind the other, the last of them perhaps cut off.
 * @returns undefined where not all of it are records of ours that follow each other: `decodeBatches` tells why.
 */
export function framesOfBatches(bytes: Buffer, from: number): readonly Buffer[] | undefined {
  const frames: Buffer[] = [];
  try {
    for (const batch of wholeBatches(bytes, from)) {
      if (batch.isForeign || !addFrames(frames, batch, from)) return undefined;
    }
    return frames;
  } catch {
    return undefined;
  }
}

interface PlainBatch {
  readonly baseOffset: number;
  readonly count: number;
  /** Its records, unpacked. */
  readonly records: Buffer;
}

/** @returns false: a record is missing. */
function addFrames(
  frames: Buffer[],
  { baseOffset, count, records }: PlainBatch,
  from: number,
): boolean {
  const writer = new FrameWriter(records);
  let at = 0;
  for (let left = count; left > 0; left -= 1) {
    const start = at;
    let [size, shift, byte] = [0, 0, 0];
    do {
      byte = records[at] ?? 0;
      size |= (byte & 0x7f) << shift;
      [at, shift] = [at + 1, shift + 7];
    } while (byte >= 0x80 && shift < 28);
    const end = at + (size >>> 1);
    if (byte >= 0x80 || (size & 1) !== 0 || end > records.length) return false;
    const expected = from + frames.length;
    const offset = baseOffset + writer.placeOf(at);
    if (offset >= from) {
      if (offset !== expected) return false;
      frames.push(writer.frame(end) ?? decodedFrame(records, start, baseOffset));
    }
    at = end;
  }
  return true;
}

/** @throws {Error} the record is none of ours. */
function decodedFrame(records: Buffer, at: number, baseOffset: number): Buffer {
  const record = recordIn(records, at, baseOffset);
  if (record.isForeignBecause !== undefined) throw new RangeError(record.isForeignBecause);
  return encodeRecord(eventOf(record, resourceVersion(record.offset + 1)));
}

/** Writes the frames of one batch into one block of memory. */
class FrameWriter {
  readonly #bytes: Buffer;
  readonly #block: Buffer;
  /** Where in the block the next frame goes. */
  #end = 0;
  /** Behind the place of the record that is read. */
  #at = 0;
  #number = 0;
  readonly #from = new Int32Array(NAMES.length);
  readonly #to = new Int32Array(NAMES.length);

  /** @param bytes its records. A frame is smaller than its record, which has the names of its headers. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#block = Buffer.allocUnsafeSlow(bytes.length);
  }

  /** Which record of its batch it is. @param bodyAt where it begins, behind its length. */
  placeOf(bodyAt: number): number {
    let at = bodyAt + 1;
    // Times have up to ten bytes, and they are not asked for.
    while ((this.#bytes[at] ?? 0) >= 0x80) at += 1;
    this.#at = this.#varint(at + 1);
    return this.#number;
  }

  /** @param end of the record whose place was read last. @returns undefined: it has to be decoded. */
  frame(end: number): Buffer | undefined {
    const bytes = this.#bytes;
    const keyAt = this.#varint(this.#at);
    const keyEnd = keyAt + this.#number;
    const valueAt = this.#varint(keyEnd);
    const valueEnd = valueAt + this.#number;
    if (valueEnd > end || keyEnd < keyAt || valueEnd < valueAt) return undefined;
    if (!this.#readHeaders(valueEnd, end)) return undefined;
    const start = this.#end;
    const headerEnd = this.#writeHeader(start + HEADER_AT, keyAt, keyEnd);
    if (headerEnd < 0 || headerEnd + valueEnd - valueAt > this.#block.length) return undefined;
    bytes.copy(this.#block, headerEnd, valueAt, valueEnd);
    this.#end = headerEnd + valueEnd - valueAt;
    return this.#sealed(start, headerEnd - start - HEADER_AT);
  }

  #sealed(start: number, headerSize: number): Buffer {
    const frame = this.#block.subarray(start, this.#end);
    frame[0] = LAYOUT;
    frame.writeUInt32BE(headerSize, HEADER_SIZE_AT);
    frame.writeUInt32BE(crc32(frame.subarray(HEADER_SIZE_AT)), CHECKSUM_AT);
    return frame;
  }

  /** @returns behind the number, which is {@link #number} then; it is at least 0, and at most 2^27. */
  #varint(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    let byte = bytes[at] ?? 0;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 28; shift += 7) {
      at += 1;
      byte = bytes[at] ?? 0;
      value |= (byte & 0x7f) << shift;
    }
    this.#number = byte >= 0x80 || (value & 1) !== 0 ? Number.NEGATIVE_INFINITY : value >>> 1;
    return at + 1;
  }

  /** Where the value of each header lies. @returns false: they are not those of a change. */
  #readHeaders(start: number, end: number): boolean {
    const bytes = this.#bytes;
    if (bytes[start] !== NAME_BYTES.length * 2) return false;
    let at = start + 1;
    for (let index = 0; index < NAME_BYTES.length; index += 1) {
      const name = NAME_BYTES[index];
      if (name === undefined || bytes[at] !== name.length * 2) return false;
      if (!isAt(bytes, at + 1, name)) return false;
      at += 1 + name.length;
      const low = bytes[at] ?? TWO_BYTES_FROM;
      let size = low;
      if (low >= TWO_BYTES_FROM) {
        at += 1;
        const high = bytes[at] ?? TWO_BYTES_FROM;
        if (high >= TWO_BYTES_FROM) return false;
        size = (low & 0x7f) | (high << 7);
      }
      if ((size & 1) !== 0) return false;
      this.#from[index] = at + 1;
      at += 1 + (size >>> 1);
      this.#to[index] = at;
    }
    return at === end;
  }

  /** @returns where the header of the frame ends. */
  #writeHeader(from: number, keyAt: number, keyEnd: number): number {
    const block = this.#block;
    block[from] = OPEN;
    let at = this.#text(from + 1, WRITER_AT);
    at = this.#digits(at, SEQUENCE_AT);
    at = this.#type(at);
    at = this.#key(at, keyAt, keyEnd);
    at = this.#digits(at, PREVIOUS_AT);
    at = this.#requires(at);
    at = this.#time(at);
    for (let index = UID_AT; index < NAMES.length; index += 1) at = this.#text(at, index);
    if (at < 0) return NOT_PLAIN;
    block[at - 1] = CLOSE;
    return at;
  }

  #text(at: number, index: number): number {
    return this.#quoted(at, this.#from[index] ?? 0, this.#to[index] ?? 0);
  }

  /** Behind the comma that follows the text. */
  #quoted(to: number, from: number, end: number): number {
    if (to < 0) return NOT_PLAIN;
    const [bytes, block] = [this.#bytes, this.#block];
    let at = to;
    block[at] = QUOTE;
    at += 1;
    for (let next = from; next < end; next += 1) {
      const byte = bytes[next] ?? 0;
      if (byte < SPACE || byte >= NOT_ASCII || byte === QUOTE || byte === BACKSLASH) {
        return NOT_PLAIN;
      }
      block[at] = byte;
      at += 1;
    }
    block[at] = QUOTE;
    block[at + 1] = COMMA;
    return at + 2;
  }

  /** As numbers are printed: without zeros in front. */
  #digits(to: number, index: number): number {
    const [from = 0, end = 0] = [this.#from[index], this.#to[index]];
    const count = end - from;
    if (to < 0 || count < 1 || count > DIGITS_MAX) return NOT_PLAIN;
    const [bytes, block] = [this.#bytes, this.#block];
    if (bytes[from] === ZERO && count > 1) return NOT_PLAIN;
    for (let next = 0; next < count; next += 1) {
      const byte = bytes[from + next] ?? 0;
      if (byte < ZERO || byte > NINE) return NOT_PLAIN;
      block[to + next] = byte;
    }
    block[to + count] = COMMA;
    return to + count + 1;
  }

  #type(to: number): number {
    const [from = 0, end = 0] = [this.#from[TYPE_AT], this.#to[TYPE_AT]];
    const typeAt = from + PREFIX_BYTES.length;
    if (!isAt(this.#bytes, from, PREFIX_BYTES)) return NOT_PLAIN;
    for (const type of TYPES) {
      if (type.length === end - typeAt && isAt(this.#bytes, typeAt, type)) {
        return this.#quoted(to, typeAt, end);
      }
    }
    return NOT_PLAIN;
  }

  /** Its first two parts are the resource, the others the path. */
  #key(to: number, from: number, end: number): number {
    const resourceEnd = this.#slashBehind(this.#slashBehind(from - 1, end), end);
    if (this.#slashBehind(resourceEnd, end) >= end) return NOT_PLAIN;
    return this.#quoted(this.#quoted(to, from, resourceEnd), resourceEnd + 1, end);
  }

  #slashBehind(from: number, end: number): number {
    let at = from + 1;
    while (at < end && this.#bytes[at] !== SLASH) at += 1;
    return at;
  }

  #requires(to: number): number {
    const [from = 0, end = 0] = [this.#from[REQUIRES_AT], this.#to[REQUIRES_AT]];
    if (to < 0 || !isRequirements(this.#bytes, from, end)) return NOT_PLAIN;
    for (let next = from; next < end; next += 1) {
      this.#block[to + next - from] = this.#bytes[next] ?? 0;
    }
    this.#block[to + end - from] = COMMA;
    return to + end - from + 1;
  }

  #time(to: number): number {
    const [from = 0, end = 0] = [this.#from[TIME_AT], this.#to[TIME_AT]];
    if (to < 0 || end - from !== TIME) return NOT_PLAIN;
    const time = timeAt(this.#bytes, from);
    if (!(time >= 0)) return NOT_PLAIN;
    let digits = 1;
    for (let less = time; less >= 10; less = Math.floor(less / 10)) digits += 1;
    let left = time;
    for (let at = to + digits - 1; at >= to; at -= 1) {
      const less = Math.floor(left / 10);
      this.#block[at] = ZERO + left - less * 10;
      left = less;
    }
    this.#block[to + digits] = COMMA;
    return to + digits + 1;
  }
}

/** Objects that are made one behind the other often require the same of others. */
let knownRequirements = Buffer.from('[]');

function isRequirements(bytes: Buffer, from: number, end: number): boolean {
  if (end - from === 2 && bytes[from] === OPEN && bytes[from + 1] === CLOSE) return true;
  if (end - from === knownRequirements.length && isAt(bytes, from, knownRequirements)) return true;
  const text = bytes.toString('utf8', from, end);
  const required = requirementsOf(text, resourceVersion(0));
  // As it is printed: without spaces.
  const printed = Buffer.from(JSON.stringify(required.map(requirementTupleOf)));
  if (printed.compare(bytes, from, end) !== 0) return false;
  knownRequirements = printed;
  return true;
}

/** The minute of the record before, as text and in milliseconds. */
let minute = Buffer.alloc(MINUTE);
let minuteMs = 0;

/** @returns NaN where it is no time. */
function timeAt(bytes: Buffer, from: number): number {
  if (!isAt(bytes, from, minute)) {
    const ms = Date.parse(`${bytes.toString('latin1', from, from + MINUTE)}00.000Z`);
    if (!Number.isInteger(ms / MINUTE_MS)) return Number.NaN;
    // As it is printed, or a time without meaning could be read.
    if (!new Date(ms).toISOString().startsWith(bytes.toString('latin1', from, from + MINUTE))) {
      return Number.NaN;
    }
    minuteMs = ms;
    minute = Buffer.from(bytes.subarray(from, from + MINUTE));
  }
  const at = from + MINUTE;
  const seconds = digitAt(bytes, at) * 10 + digitAt(bytes, at + 1);
  if (!(seconds < 60) || bytes[at + 2] !== POINT || bytes[at + 6] !== ZULU) return Number.NaN;
  const tenths = digitAt(bytes, at + 3) * 10 + digitAt(bytes, at + 4);
  return minuteMs + seconds * 1_000 + tenths * 10 + digitAt(bytes, at + 5);
}

/** @returns NaN where it is none. */
function digitAt(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  return byte < ZERO || byte > NINE ? Number.NaN : byte - ZERO;
}

function isAt(bytes: Buffer, from: number, expected: Buffer): boolean {
  const { length } = expected;
  for (let at = 0; at < length; at += 1) if (bytes[from + at] !== expected[at]) return false;
  return true;
}
