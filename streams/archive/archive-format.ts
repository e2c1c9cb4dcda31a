/**
 * The archive: a log, a range of it, or one moment, as one file to carry about. Gzip'd JSON lines,
 * so `zcat FILE | jq` shows it: a header, a line for each record, and an end mark.
 *
 * Every archive is the state as of the version before `from`, and then the records `from` to `to`.
 * A whole log begins at 1, where there was no state; a moment has nothing behind its state.
 *
 * The surprise is the end mark. It is a gzip member of its own, not compressed, of a known size,
 * with the SHA-256 of every byte before it. Gzip alone would not do: it does not look at some bits
 * of its own headers and padding, and here no bit may be other than it was written.
 */
import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { eventOf, recordOf } from '../event-codec.ts';
import type { LoggedEvent } from '../event.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

export interface ArchiveHeader {
  readonly kind: 'log' | 'moment';
  /** The first version of the range; the state is that of the version before. */
  readonly from: ResourceVersion;
  /** The last version of the range; for a moment `from - 1`. */
  readonly to: ResourceVersion;
  /** Where it comes from, for people. */
  readonly source: string;
  /** RFC 3339. */
  readonly created: string;
}

export interface ArchiveCounts {
  /** Objects of the state that the range begins with. */
  readonly state: number;
  /** Records of the range. */
  readonly records: number;
}

/** The file is not one that was written as an archive, whole and as it is. */
export class DamagedArchiveError extends Error {
  override readonly name = 'DamagedArchiveError';
}

/** What stands before all that deflate makes; the two bytes that programs fill in differently are set. */
export const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

const FORMAT = 1;
const CHECK = /,"crc":"([0-9a-f]{8})"\}$/;
/** `,"crc":"00000000"}` */
const CHECK_LENGTH = 18;
const END_TEXT_LENGTH = 256;
/** A last block that is stored, with its length and the length's complement. */
const STORED_BLOCK = 5;
const GZIP_TRAILER = 8;

export const END_LENGTH = GZIP_HEADER.length + STORED_BLOCK + END_TEXT_LENGTH + GZIP_TRAILER;

/**
 * Each line carries the CRC-32 of all text up to it, so what was changed, lost or moved is found
 * at its own line.
 */
export class LineChain {
  #crc = 0;

  /** The line of this value, with its end. */
  write(value: object): string {
    const text = JSON.stringify(value).slice(0, -1);
    this.#crc = crc32(text, this.#crc);
    return `${text},"crc":"${hex(this.#crc)}"}\n`;
  }

  /** @throws {DamagedArchiveError} the line does not follow those before it, or is no line. */
  read(line: Buffer): unknown {
    const check = CHECK.exec(line.toString('latin1', Math.max(0, line.length - CHECK_LENGTH)));
    if (check === null) throw new DamagedArchiveError('it is cut off, or not a line of an archive');
    const text = line.subarray(0, -CHECK_LENGTH);
    this.#crc = crc32(text, this.#crc);
    if (check[1] !== hex(this.#crc)) {
      throw new DamagedArchiveError('it was changed, or what stood before it was lost or moved');
    }
    return JSON.parse(`${text.toString()}}`);
  }
}

/** The first line of an archive, before it is written as JSON. */
export function headerValue({ kind, from, to, source, created }: ArchiveHeader): object {
  return { everwatch: 'archive', format: FORMAT, kind, from, to, source, created };
}

/** @throws {DamagedArchiveError} it is no header, or one of a newer program. */
export function headerOf(value: unknown): ArchiveHeader {
  const { everwatch, format, kind, from, to, source, created } = fieldsOf(value);
  if (everwatch !== 'archive') throw new DamagedArchiveError('it is not the header of an archive');
  if (format !== FORMAT) {
    throw new DamagedArchiveError(
      `its format is ${String(format)}, and this program reads ${String(FORMAT)} only`,
    );
  }
  const header = { from: versionOf(from), to: versionOf(to), source, created };
  const isRange = kind === 'log' ? header.from <= header.to + 1 : header.from === header.to + 1;
  const isKnown = (kind === 'log' || kind === 'moment') && header.from > 0 && isRange;
  if (!isKnown || typeof source !== 'string' || typeof created !== 'string') {
    throw new DamagedArchiveError('it says nothing of what is in the archive');
  }
  return { ...header, kind, source, created };
}

/** The record's bytes as text where they are text, which JSON is; otherwise in base64. */
export function recordValue(event: LoggedEvent): object {
  const { key, headers, value } = recordOf(event);
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const text = isUtf8(bytes) ? { value: bytes.toString() } : { base64: bytes.toString('base64') };
  return { version: event.resourceVersion, key, headers, ...text };
}

/** @throws {DamagedArchiveError} @throws {DamagedRecordError} */
export function recordFrom(line: unknown): LoggedEvent {
  const { version, key, headers, value, base64 } = fieldsOf(line);
  if (typeof key !== 'string' || !isTexts(headers)) {
    throw new DamagedArchiveError('it is not a record');
  }
  return eventOf({ key, headers, value: bytesOf(value, base64) }, versionOf(version));
}

/** The last bytes of an archive, which follow from what they say: nothing in them is free. */
export function endMark(counts: ArchiveCounts, sha256: string): Buffer {
  const said = { everwatch: 'archive-end', ...counts, sha256 };
  const text = Buffer.from(`${JSON.stringify(said).padEnd(END_TEXT_LENGTH - 1)}\n`);
  const block = Buffer.alloc(STORED_BLOCK);
  block[0] = 1;
  block.writeUInt16LE(text.length, 1);
  block.writeUInt16LE(0xffff - text.length, 3);
  const trailer = Buffer.alloc(GZIP_TRAILER);
  trailer.writeUInt32LE(crc32(text), 0);
  trailer.writeUInt32LE(text.length, 4);
  return Buffer.concat([GZIP_HEADER, block, text, trailer]);
}

/** What the end mark says; undefined when these bytes are not exactly one. */
export function endOf(bytes: Buffer): (ArchiveCounts & { readonly sha256: string }) | undefined {
  const textAt = GZIP_HEADER.length + STORED_BLOCK;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8', textAt, textAt + END_TEXT_LENGTH));
  } catch {
    return undefined;
  }
  const { state, records, sha256 } = fieldsOf(value);
  if (typeof state !== 'number' || typeof records !== 'number' || typeof sha256 !== 'string') {
    return undefined;
  }
  const end = { state, records, sha256 };
  return endMark({ state, records }, sha256).equals(bytes) ? end : undefined;
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Whatever it is, its fields are looked at one by one.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function versionOf(value: unknown): ResourceVersion {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    return resourceVersion(value);
  }
  throw new DamagedArchiveError('it has no version');
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((one) => typeof one === 'string')
  );
}

function bytesOf(value: unknown, base64: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  throw new DamagedArchiveError('it has no value');
}
