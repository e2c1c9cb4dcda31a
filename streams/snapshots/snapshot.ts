/**
 * A snapshot is the state as of one version: the record of every object that existed then, and what
 * a fold has to know to go on behind it. It is what is left of a log that was cut there (see
 * `log-cuts.ts`), and a server that starts from it folds it as such a log.
 *
 * The records travel in chunks, each compressed, and come before the manifest, which says how
 * many there are and what they hash to. So a snapshot whose manifest is there and fits is whole.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { APPEND_BYTES_MAX } from '../event-log.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

/** What a snapshot says beside its records. */
export interface SnapshotHeader {
  /** The last version that it has folded. */
  readonly version: ResourceVersion;
  /** Of the record there, as `<writer>:<sequence>`: by it a snapshot of another log is known. */
  readonly identity: string;
  /** The latest time of all records up to there, in milliseconds since 1970. */
  readonly time: number;
  /** The last sequence of each writer. */
  readonly writers: ReadonlyMap<string, number>;
}

/** One record of a state, as it stood in the log. */
export interface SnapshotRecord {
  /** The place of the record in the log. */
  readonly version: ResourceVersion;
  /** As `encodeRecord` makes it. */
  readonly frame: Buffer;
}

/** Some records at a time, in order of versions. */
export type SnapshotRecords = AsyncIterable<readonly SnapshotRecord[]>;

export interface Snapshot {
  /** Of which log it is the state, and as of which version. */
  readonly header: SnapshotHeader;
  /** How many there are. */
  readonly objects: number;
  /** @throws {DamagedSnapshotError} what was stored is not what was written. */
  records(): SnapshotRecords;
}

/** Where snapshots are kept. */
export interface SnapshotStore {
  /** The newest that is whole; undefined when there is none. */
  newest(): Promise<Snapshot | undefined>;
  /** Whole or not at all; the newest before it stays until it is. */
  write(header: SnapshotHeader, records: SnapshotRecords): Promise<void>;
}

/** A chunk or manifest is not as it was written. */
export class DamagedSnapshotError extends Error {
  override readonly name = 'DamagedSnapshotError';
}

/** What comes last, with a hash of its own. */
export interface Manifest {
  /** The same as in front of the chunks. */
  readonly header: SnapshotHeader;
  /** How many objects all chunks have together. */
  readonly objects: number;
  /** SHA-256 of each chunk, in hexadecimal. */
  readonly chunks: readonly string[];
}

const FORMAT = 'everwatch-snapshot-1';
/** Before compression; a single record may be larger. */
const CHUNK_BYTES = 1024 * 1024;
const ENTRY_HEAD_BYTES = 12;
/** A chunk is full with one byte less than `CHUNK_BYTES`, or with one more record, of an append. */
const UNPACKED_BYTES_MAX = 2 * (CHUNK_BYTES + APPEND_BYTES_MAX);
const HASH_CHARACTERS = 64;
/** Snapshots are written rarely and read in haste. */
const GZIP = { level: 1 } as const;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Packs the records into chunks, hands each to `put` in order, and says what the manifest is to
 * say. Holds one chunk at a time.
 */
export async function packSnapshot(
  header: SnapshotHeader,
  records: SnapshotRecords,
  put: (chunk: Buffer, index: number) => Promise<void>,
): Promise<Manifest> {
  const chunks: string[] = [];
  let objects = 0;
  let entries: Buffer[] = [];
  let sizeBytes = 0;
  const flush = async (): Promise<void> => {
    const chunk = await compress(Buffer.concat(entries), GZIP);
    entries = [];
    sizeBytes = 0;
    await put(chunk, chunks.length);
    chunks.push(hashOf(chunk));
  };
  for await (const batch of records) {
    for (const { version, frame } of batch) {
      entries.push(entryHead(version, frame.length), frame);
      sizeBytes += ENTRY_HEAD_BYTES + frame.length;
      objects += 1;
      if (sizeBytes >= CHUNK_BYTES) await flush();
    }
  }
  if (entries.length > 0) await flush();
  return { header, objects, chunks };
}

/** The snapshot that a manifest announces; `chunkAt` gives the chunks as they were put. */
export function unpackSnapshot(
  { header, objects, chunks }: Manifest,
  chunksInOrder: () => AsyncIterable<Buffer>,
): Snapshot {
  async function* records(): AsyncGenerator<readonly SnapshotRecord[]> {
    let index = 0;
    let count = 0;
    for await (const chunk of chunksInOrder()) {
      if (hashOf(chunk) !== chunks[index]) {
        throw new DamagedSnapshotError(`chunk ${String(index)} is not what was written`);
      }
      const batch = entriesOf(await unpacked(chunk, index));
      index += 1;
      count += batch.length;
      yield batch;
    }
    if (index !== chunks.length || count !== objects) {
      throw new DamagedSnapshotError(
        `${String(index)} of ${String(chunks.length)} chunks are there, with ${String(count)} of ` +
          `${String(objects)} records`,
      );
    }
  }
  return { header, objects, records };
}

/** The manifest as text with its hash behind it; it names the chunks in order. */
export function encodeManifest({ header, objects, chunks }: Manifest): Buffer {
  const { version, identity, time, writers } = header;
  const written = { format: FORMAT, version, identity, time, writers: [...writers] };
  const text = Buffer.from(JSON.stringify({ ...written, objects, chunks }));
  return Buffer.concat([text, Buffer.from(hashOf(text))]);
}

/** undefined: it is none, not as it was, or in a format that this program does not know. */
export function decodeManifest(bytes: Buffer): Manifest | undefined {
  const text = bytes.subarray(0, Math.max(0, bytes.length - HASH_CHARACTERS));
  if (hashOf(text) !== bytes.toString('latin1', text.length)) return undefined;
  const parsed = JSON.parse(text.toString()) as Written;
  if (parsed.format !== FORMAT) return undefined;
  // The format says that it was written above.
  const { version, identity, time, writers, objects, chunks } = parsed;
  const header = {
    version: resourceVersion(version),
    identity,
    time,
    writers: new Map(writers),
  };
  return { header, objects, chunks };
}

interface Written {
  readonly format: string;
  readonly version: number;
  readonly identity: string;
  readonly time: number;
  readonly writers: readonly (readonly [string, number])[];
  readonly objects: number;
  readonly chunks: readonly string[];
}

/** @throws {DamagedSnapshotError} it is none of ours, whatever the manifest says. */
async function unpacked(chunk: Buffer, index: number): Promise<Buffer> {
  try {
    return await decompress(chunk, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DamagedSnapshotError(`chunk ${String(index)} cannot be unpacked: ${why}`, { cause });
  }
}

function entryHead(version: ResourceVersion, length: number): Buffer {
  const head = Buffer.allocUnsafe(ENTRY_HEAD_BYTES);
  head.writeBigUInt64BE(BigInt(version));
  head.writeUInt32BE(length, 8);
  return head;
}

function entriesOf(bytes: Buffer): SnapshotRecord[] {
  const records: SnapshotRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const headEnd = at + ENTRY_HEAD_BYTES;
    const end = headEnd > bytes.length ? Infinity : headEnd + bytes.readUInt32BE(at + 8);
    if (end > bytes.length) throw new DamagedSnapshotError('a record is longer than its chunk');
    const version = resourceVersion(Number(bytes.readBigUInt64BE(at)));
    records.push({ version, frame: bytes.subarray(headEnd, end) });
    at = end;
  }
  return records;
}

function hashOf(chunk: Buffer): string {
  return createHash('sha256').update(chunk).digest('hex');
}
