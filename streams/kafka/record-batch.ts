/**
 * Record batches as Kafka keeps them on disk and on the wire (message format 2), one append each.
 *
 * kafkajs has this too, but takes about ten times as long to read a record with as many headers as
 * ours. Like it, this does not check the checksum on reading: the broker did, and in JavaScript it
 * would cost more than all the rest.
 *
 *     base offset 8 · length 4 · leader epoch 4 · magic 1 · CRC-32C 4 · attributes 2 ·
 *     last offset delta 4 · first time 8 · max time 8 · producer id 8, epoch 2, sequence 4 ·
 *     count 4 · records
 */
import { gunzipSync } from 'node:zlib';
import type { EventRecord } from '../event-codec.ts';
import { crc32c } from './crc32c.ts';
import { ownHeaders } from './record-headers.ts';

/** A record as it lies in the topic, which any producer may have written. */
export interface TopicRecord {
  readonly offset: number;
  /** Why it cannot be one of ours; its other parts are empty then. */
  readonly isForeignBecause: string | undefined;
  readonly key: string;
  /** A part of the bytes that were decoded. */
  readonly value: Buffer;
  /** Of a record of ours those only that say what is said nowhere else. */
  readonly headers: Readonly<Record<string, string>>;
}

const MAGIC = 2;
const LENGTH_AT = 8;
const MAGIC_AT = 16;
const CRC_AT = 17;
const ATTRIBUTES_AT = 21;
const LAST_DELTA_AT = 23;
const COUNT_AT = 57;
const RECORDS_AT = 61;
/** `length` counts from behind itself. */
const COUNTED_FROM = 12;

const COMPRESSION = 0x07;
const GZIP = 1;
const CONTROL = 0x20;
/**
 * What one batch may unpack to: more than twice the largest append, in whichever way it comes. A
 * thousandth of it may be enough to send that.
 */
export const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;
/** From so much on, the batches that follow in an answer wait for the next one. */
export const UNPACKED_AT_ONCE = 32 * 1024 * 1024;
/** Records, and headers of others, of one batch: each is many times larger here than on the wire. */
const PARTS_MAX = 256 * 1024;
/** Without an identity of its own, a producer is -1 everywhere. */
const NOT_IDEMPOTENT = -1;

const NOTHING = Buffer.alloc(0);

const VARINT_BYTES_MAX = 5;
/** What a record adds to its parts: its length, attributes, time, place, and their lengths. */
const RECORD_OVERHEAD_MAX = 1 + 6 * VARINT_BYTES_MAX;

/** At most so many bytes will the batch of these records have. */
export function batchSizeMax(records: readonly EventRecord[]): number {
  let size = RECORDS_AT;
  for (const record of records) size += recordSizeMax(record);
  return size;
}

/** @param timeMs milliseconds since 1970; the broker replaces it by its own. */
export function encodeBatch(records: readonly EventRecord[], timeMs: number): Buffer {
  const buffer = Buffer.allocUnsafeSlow(batchSizeMax(records));
  let at = RECORDS_AT;
  for (const [index, record] of records.entries()) at = writeRecord(buffer, at, index, record);
  const batch = buffer.subarray(0, at);
  writeBatchHeader(batch, records.length, timeMs);
  return batch;
}

function writeBatchHeader(batch: Buffer, count: number, timeMs: number): void {
  batch.writeBigInt64BE(0n, 0);
  batch.writeInt32BE(batch.length - COUNTED_FROM, LENGTH_AT);
  batch.writeInt32BE(-1, 12);
  batch.writeInt8(MAGIC, MAGIC_AT);
  batch.writeInt16BE(0, ATTRIBUTES_AT);
  batch.writeInt32BE(count - 1, LAST_DELTA_AT);
  batch.writeBigInt64BE(BigInt(timeMs), 27);
  batch.writeBigInt64BE(BigInt(timeMs), 35);
  batch.writeBigInt64BE(BigInt(NOT_IDEMPOTENT), 43);
  batch.writeInt16BE(NOT_IDEMPOTENT, 51);
  batch.writeInt32BE(NOT_IDEMPOTENT, 53);
  batch.writeInt32BE(count, COUNT_AT);
  batch.writeUInt32BE(crc32c(batch.subarray(ATTRIBUTES_AT)), CRC_AT);
}

function recordSizeMax({ key, value, headers }: EventRecord): number {
  let size = RECORD_OVERHEAD_MAX + Buffer.byteLength(key) + value.length;
  for (const name in headers) {
    size += 2 * VARINT_BYTES_MAX;
    size += Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? '');
  }
  return size;
}

function writeRecord(buffer: Buffer, start: number, index: number, record: EventRecord): number {
  // The length comes first and is known last, so the body is written behind room for any length.
  const bodyAt = start + VARINT_BYTES_MAX;
  let at = bodyAt;
  buffer[at] = 0;
  buffer[at + 1] = 0;
  at = writeVarint(buffer, at + 2, index);
  at = writeText(buffer, at, record.key);
  at = writeVarint(buffer, at, record.value.length);
  buffer.set(record.value, at);
  at = writeVarint(buffer, at + record.value.length, Object.keys(record.headers).length);
  for (const name in record.headers) {
    at = writeText(buffer, at, name);
    at = writeText(buffer, at, record.headers[name] ?? '');
  }
  const movedTo = writeVarint(buffer, start, at - bodyAt);
  buffer.copyWithin(movedTo, bodyAt, at);
  return movedTo + (at - bodyAt);
}

function writeText(buffer: Buffer, at: number, text: string): number {
  const size = Buffer.byteLength(text);
  const textAt = writeVarint(buffer, at, size);
  buffer.write(text, textAt, 'utf8');
  return textAt + size;
}

/** Zigzag, as all of Kafka's varints; `value` is at least 0 and below 2^30. */
function writeVarint(buffer: Buffer, at: number, value: number): number {
  let rest = value * 2;
  let end = at;
  while (rest > 0x7f) {
    buffer[end] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
    end += 1;
  }
  buffer[end] = rest;
  return end + 1;
}

export interface DecodedBatches {
  readonly records: readonly TopicRecord[];
  /** The offset behind the last batch that was read; undefined when there is none. */
  readonly next: number | undefined;
}

/**
 * The records from `from` on. A batch that is cut off at the end, as fetches do, is left out, and
 * so are those behind the first {@link UNPACKED_AT_ONCE} bytes, if they were compressed.
 *
 * @param bytes record batches one behind the other.
 * @throws {RangeError} the bytes are no record batches, or one unpacks to more than any of ours.
 */
export function decodeBatches(bytes: Buffer, from: number): DecodedBatches {
  const records: TopicRecord[] = [];
  let next: number | undefined;
  for (const batch of wholeBatches(bytes, from)) {
    next = batch.next;
    decodeBatch(batch, from, records);
  }
  return { records, next };
}

/** A batch with records from an offset on. */
export interface WholeBatch {
  readonly baseOffset: number;
  /** The offset behind it. */
  readonly next: number;
  /** How many records it has. */
  readonly count: number;
  readonly isForeign: boolean;
  readonly attributes: number;
  /** Unpacked; none where it is foreign. */
  readonly records: Buffer;
}

/**
 * The batches with records from `from` on; those that end in front of it have none. What {@link decodeBatches} leaves out
 * is left out.
 *
 * @throws {RangeError} as {@link decodeBatches}.
 */
export function* wholeBatches(bytes: Buffer, from: number): Generator<WholeBatch> {
  let unpackedBytes = 0;
  for (let at = 0; at + RECORDS_AT <= bytes.length && unpackedBytes < UNPACKED_AT_ONCE;) {
    const end = batchEnd(bytes, at);
    if (end > bytes.length) break;
    const batch = wholeBatch(bytes.subarray(at, end), from);
    if (isCompressed(batch)) unpackedBytes += batch.records.length;
    yield batch;
    at = end;
  }
}

/**
 * The offset behind the last whole batch; undefined when there is none.
 *
 * @throws {RangeError} the bytes are no record batches.
 */
export function endOfBatches(bytes: Buffer): number | undefined {
  let offset: number | undefined;
  for (let at = 0; at + RECORDS_AT <= bytes.length;) {
    const end = batchEnd(bytes, at);
    if (end > bytes.length) break;
    offset = offsetBehind(bytes, at);
    at = end;
  }
  return offset;
}

function offsetBehind(bytes: Buffer, at: number): number {
  return Number(bytes.readBigInt64BE(at)) + bytes.readInt32BE(at + LAST_DELTA_AT) + 1;
}

/** Where the batch at `at` ends; always behind its head, so that a reader that goes on there gets on. */
function batchEnd(bytes: Buffer, at: number): number {
  const end = at + COUNTED_FROM + bytes.readInt32BE(at + LENGTH_AT);
  if (end < at + RECORDS_AT) throw new RangeError('a record batch is shorter than its head');
  return end;
}

function wholeBatch(batch: Buffer, from: number): WholeBatch {
  const magic = batch[MAGIC_AT];
  if (magic !== MAGIC) throw new RangeError(`a record batch in the format ${String(magic)}`);
  const baseOffset = Number(batch.readBigInt64BE(0));
  const next = offsetBehind(batch, 0);
  const attributes = batch.readInt16BE(ATTRIBUTES_AT);
  const isOver = next <= from;
  const head = { baseOffset, next, attributes };
  if (isOver || foreignBatch(attributes) !== undefined) {
    return { ...head, count: 0, isForeign: !isOver, records: NOTHING };
  }
  const packed = batch.subarray(RECORDS_AT);
  const records = isCompressed(head) ? unpacked(packed) : packed;
  return { ...head, count: batch.readInt32BE(COUNT_AT), isForeign: false, records };
}

function isCompressed({ attributes }: Pick<WholeBatch, 'attributes'>): boolean {
  return (attributes & COMPRESSION) !== 0;
}

function decodeBatch(
  { baseOffset, count, attributes, isForeign, records: plain }: WholeBatch,
  from: number,
  records: TopicRecord[],
): void {
  if (isForeign) {
    const why = foreignBatch(attributes) ?? '';
    records.push(foreignRecord(Math.max(baseOffset, from), why));
    return;
  }
  const cursor = new Cursor(plain);
  for (let left = count; left > 0; left -= 1) {
    const record = cursor.record(baseOffset);
    if (record.offset >= from) records.push(record);
  }
}

/** The record of a batch that begins at this byte of its records. @throws {RangeError} there is none. */
export function recordIn(records: Buffer, at: number, baseOffset: number): TopicRecord {
  return new Cursor(records.subarray(at)).record(baseOffset);
}

function unpacked(packed: Buffer): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch (cause) {
    const isTooLarge =
      cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    const why = isTooLarge
      ? `unpacks to more than ${String(UNPACKED_BYTES_MAX)} bytes`
      : `cannot be unpacked: ${String(cause)}`;
    throw new RangeError(`a record batch ${why}`, { cause });
  }
}

function foreignBatch(attributes: number): string | undefined {
  if ((attributes & CONTROL) !== 0) return 'it is the mark of a transaction';
  const codec = attributes & COMPRESSION;
  return codec > GZIP
    ? `it is compressed in a way that is not read here (${String(codec)})`
    : undefined;
}

function foreignRecord(offset: number, why: string): TopicRecord {
  return { offset, isForeignBecause: why, key: '', value: NOTHING, headers: {} };
}

/** Reads on through the records of one batch. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;
  #parts = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  record(baseOffset: number): TopicRecord {
    this.#countPart();
    const size = this.#varint();
    const end = this.#at + size;
    // Nothing may lead back to where a record was read: there can be two thousand million of them.
    if (size < 0 || end > this.#bytes.length) {
      throw new RangeError('a record is longer than its batch');
    }
    this.#at += 1;
    this.#skipVarint();
    const offset = baseOffset + this.#varint();
    const keySize = this.#varint();
    if (keySize < 0) return this.#foreign(offset, end, 'it has no key');
    const key = this.#text(keySize);
    const valueSize = this.#varint();
    if (valueSize < 0) return this.#foreign(offset, end, 'it has no value');
    const value = this.#bytes.subarray(this.#at, this.#at + valueSize);
    this.#at += valueSize;
    const headers = this.#headers(end);
    if (this.#at !== end) throw new RangeError(`the record at offset ${String(offset)} is torn`);
    return { offset, isForeignBecause: undefined, key, value, headers };
  }

  /** @param end where the record ends, and its headers with it. */
  #headers(end: number): Readonly<Record<string, string>> {
    const own = ownHeaders(this.#bytes.toString('latin1', this.#at, end));
    if (own === undefined) return this.#anyHeaders();
    this.#at = end;
    return own;
  }

  #anyHeaders(): Record<string, string> {
    const headers: Record<string, string> = {};
    for (let left = this.#varint(); left > 0; left -= 1) {
      this.#countPart();
      const name = this.#text(this.#varint());
      const size = this.#varint();
      headers[name] = size > 0 ? this.#text(size) : '';
    }
    return headers;
  }

  #countPart(): void {
    this.#parts += 1;
    if (this.#parts > PARTS_MAX) {
      throw new RangeError(`a record batch has more than ${String(PARTS_MAX)} parts`);
    }
  }

  #foreign(offset: number, end: number, why: string): TopicRecord {
    this.#at = end;
    return foreignRecord(offset, why);
  }

  #text(size: number): string {
    const start = this.#at;
    this.#at += size;
    if (size < 0 || this.#at > this.#bytes.length)
      throw new RangeError('a record is longer than its batch');
    return this.#bytes.toString('utf8', start, this.#at);
  }

  #varint(): number {
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || shift > 28)
        throw new RangeError('a record is longer than its batch');
      this.#at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
      shift += 7;
    }
    return (value >>> 1) ^ -(value & 1);
  }

  /** Times have up to ten bytes, and they are not asked for. */
  #skipVarint(): void {
    while ((this.#bytes[this.#at] ?? 0) >= 0x80) this.#at += 1;
    this.#at += 1;
  }
}
