/**
 * Reads an archive and believes nothing: every line must follow the one before it, every record
 * must be where its header says, and every byte must be the one that was written.
 *
 * A reader that is going to change something reads it twice: {@link checkArchive} first, to the end.
 */
import { createHash } from 'node:crypto';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { DamagedRecordError } from '../event-codec.ts';
import { isChange, type LoggedEvent } from '../event.ts';
import {
  DamagedArchiveError,
  END_LENGTH,
  endOf,
  GZIP_HEADER,
  headerOf,
  LineChain,
  recordFrom,
  type ArchiveCounts,
  type ArchiveHeader,
} from './archive-format.ts';
import { gunzipped } from './archive-gunzip.ts';
import { linesOf } from './archive-lines.ts';

/** Some records of an archive: either of the state at its beginning, or of its range. */
export interface ArchiveBatch {
  readonly part: keyof ArchiveCounts;
  readonly events: readonly LoggedEvent[];
  /** How much of the file has been read, in bytes. */
  readonly readBytes: number;
}

/** What is known of an archive that was read to its end and is whole. */
export interface CheckedArchive extends ArchiveCounts {
  /** From which version to which it goes, and of which log. */
  readonly header: ArchiveHeader;
  /** Of the archive as it is stored, compressed. */
  readonly sizeBytes: number;
}

const BATCH_EVENTS = 256;
const BATCH_BYTES = 1024 * 1024;
const END_BEGINNING = '{"everwatch":"archive-end"';
const READ_BYTES = 64 * 1024;
const PIECE_BYTES_MIN = 16;
const PIECES_MAX = 4_096;

/**
 * Reads all of it.
 *
 * @param progress is told how many of how many bytes have been read.
 * @throws {DamagedArchiveError} says where it is not what was written.
 */
export async function checkArchive(
  path: string,
  progress: (readBytes: number, sizeBytes: number) => void = () => undefined,
): Promise<CheckedArchive> {
  try {
    return await readAll(path, progress);
  } catch (error) {
    if (!(error instanceof DamagedArchiveError) || !isOfZlib(error.cause)) throw error;
    // In small pieces more of it can be read before that point, and told where it is.
    const { size } = await stat(path);
    await readAll(path, progress, Math.max(PIECE_BYTES_MIN, Math.ceil(size / PIECES_MAX)));
    throw error;
  }
}

async function readAll(
  path: string,
  progress: (readBytes: number, sizeBytes: number) => void,
  pieceBytes = READ_BYTES,
): Promise<CheckedArchive> {
  const archive = await openArchive(path, pieceBytes);
  try {
    for await (const { readBytes } of archive.batches()) progress(readBytes, archive.sizeBytes);
    return { header: archive.header, ...archive.counts, sizeBytes: archive.sizeBytes };
  } finally {
    await archive.close();
  }
}

function isOfZlib(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** Whether the file begins as an archive does. @throws Error of the system when it cannot be read. */
export async function looksLikeArchive(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.equals(GZIP_HEADER.subarray(0, 2));
  } finally {
    await file.close();
  }
}

/**
 * An open archive, to be read once from its beginning.
 *
 * @param pieceBytes how much of the file is read at once.
 * @throws {DamagedArchiveError} it does not begin as one.
 */
export async function openArchive(path: string, pieceBytes = READ_BYTES): Promise<OpenArchive> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const archive = new OpenArchive(file, size, pieceBytes);
    await archive.begin();
    return archive;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export class OpenArchive {
  readonly sizeBytes: number;
  readonly #file: FileHandle;
  readonly #pieceBytes: number;
  readonly #chain = new LineChain();
  readonly #hash = createHash('sha256');
  readonly #counts = { state: 0, records: 0 };
  #end: ReturnType<typeof endOf>;
  #lines: AsyncGenerator<readonly Buffer[], void> | undefined;
  /** Lines that were cut and not looked at yet, the next one last. */
  #waiting: Buffer[] = [];
  #header: ArchiveHeader | undefined;
  #readBytes = 0;
  /** The line that is looked at, counted from 1. */
  #line = 0;
  #lastVersion = 0;

  constructor(file: FileHandle, sizeBytes: number, pieceBytes: number) {
    this.#file = file;
    this.#pieceBytes = pieceBytes;
    this.sizeBytes = sizeBytes;
  }

  get header(): ArchiveHeader {
    if (this.#header === undefined) throw new Error('the archive was not begun');
    return this.#header;
  }

  /** What has been read up to now. */
  get counts(): ArchiveCounts {
    return this.#counts;
  }

  /** Reads the header. To be called once, before everything else. */
  async begin(): Promise<void> {
    await this.#checkBeginning();
    const markAt = Math.max(0, this.sizeBytes - END_LENGTH);
    this.#end = endOf(await this.#bytesAt(markAt, END_LENGTH));
    // Without an end mark all of the file is looked at, to tell where it breaks off.
    this.#lines = linesOf(
      gunzipped(this.#packed(this.#end === undefined ? this.sizeBytes : markAt)),
    );
    const first = await this.#nextLine();
    if (first === undefined) throw new DamagedArchiveError('the archive is empty');
    this.#header = this.#judged(() => headerOf(this.#chain.read(first)));
  }

  /** All of its records. @throws {DamagedArchiveError} perhaps after some of them. */
  async *batches(): AsyncGenerator<ArchiveBatch, void> {
    let events: LoggedEvent[] = [];
    let part: keyof ArchiveCounts = 'state';
    let bytes = 0;
    for (let line = await this.#nextLine(); line !== undefined; line = await this.#nextLine()) {
      const event = this.#recordOf(line);
      const itsPart = event.resourceVersion < this.header.from ? 'state' : 'records';
      const isFull = events.length >= BATCH_EVENTS || bytes >= BATCH_BYTES;
      if (events.length > 0 && (isFull || itsPart !== part)) {
        yield { part, events, readBytes: this.#readBytes };
        events = [];
        bytes = 0;
      }
      part = itsPart;
      this.#counts[part] += 1;
      events.push(event);
      bytes += line.length;
    }
    this.#checkEnd();
    if (events.length > 0) yield { part, events, readBytes: this.#readBytes };
  }

  async close(): Promise<void> {
    await this.#lines?.return();
    await this.#file.close();
  }

  async #checkBeginning(): Promise<void> {
    const bytes = await this.#bytesAt(0, GZIP_HEADER.length);
    if (bytes.equals(GZIP_HEADER)) return;
    throw new DamagedArchiveError(
      bytes.subarray(0, 2).equals(GZIP_HEADER.subarray(0, 2))
        ? 'the first bytes of the archive were changed, or another program has packed it again: ' +
            'an archive is read as it was exported'
        : 'this is not an archive',
    );
  }

  async #nextLine(): Promise<Buffer | undefined> {
    try {
      if (this.#waiting.length === 0) {
        const next = await this.#lines?.next();
        if (next === undefined || next.done === true) return undefined;
        this.#waiting = next.value.toReversed();
      }
      this.#line += 1;
      return this.#waiting.pop();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const isShort = 'code' in error && error.code === 'Z_BUF_ERROR';
      const what = isShort ? 'cut off' : 'damaged';
      throw new DamagedArchiveError(`the archive is ${what} ${this.#where()}: ${error.message}`, {
        cause: error,
      });
    }
  }

  #recordOf(line: Buffer): LoggedEvent {
    return this.#judged(() => {
      if (line.indexOf(END_BEGINNING) === 0) {
        throw new DamagedArchiveError('it is the end mark, which was changed or is not the end');
      }
      const event = recordFrom(this.#chain.read(line));
      this.#checkPlace(event);
      return event;
    });
  }

  #checkPlace(event: LoggedEvent): void {
    const { from, to } = this.header;
    const { resourceVersion: version } = event;
    if (version < from) {
      if (this.#counts.records > 0) throw wrong(event, 'comes behind the range, and is older');
      if (!isChange(event) || event.type === 'deleted') throw wrong(event, 'is no object');
      return;
    }
    if (version > to) throw wrong(event, `is behind the end of the range, ${String(to)}`);
    if (version <= this.#lastVersion) {
      throw wrong(event, `comes behind version ${String(this.#lastVersion)}`);
    }
    this.#lastVersion = version;
  }

  #checkEnd(): void {
    if (this.#end === undefined) {
      throw new DamagedArchiveError(`the archive is cut off ${this.#where()}: its end is missing`);
    }
    const { state, records, sha256 } = this.#end;
    if (state !== this.#counts.state || records !== this.#counts.records) {
      throw new DamagedArchiveError(
        `the archive ends ${this.#where()}, with ${said(this.#counts)} ` +
          `where its end mark says ${said(this.#end)}`,
      );
    }
    if (this.#hash.digest('hex') !== sha256) {
      throw new DamagedArchiveError(
        'the archive is damaged: every line can be read, but the SHA-256 of the file is not ' +
          'the one in its end mark',
      );
    }
  }

  #judged<T>(judge: () => T): T {
    try {
      return judge();
    } catch (error) {
      const isExpected =
        error instanceof DamagedArchiveError ||
        error instanceof DamagedRecordError ||
        error instanceof SyntaxError;
      if (!isExpected) throw error;
      const place = `line ${String(this.#line)} of the archive is damaged`;
      throw new DamagedArchiveError(`${place}: ${error.message}`, { cause: error });
    }
  }

  #where(): string {
    const version = this.#lastVersion > 0 ? ` (version ${String(this.#lastVersion)})` : '';
    return `behind line ${String(this.#line)}${version}`;
  }

  async *#packed(end: number): AsyncGenerator<Buffer, void> {
    while (this.#readBytes < end) {
      const bytes = await this.#bytesAt(
        this.#readBytes,
        Math.min(this.#pieceBytes, end - this.#readBytes),
      );
      if (bytes.length === 0) return;
      this.#readBytes += bytes.length;
      this.#hash.update(bytes);
      yield bytes;
    }
  }

  async #bytesAt(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  }
}

function wrong({ resourceVersion: version }: LoggedEvent, why: string): DamagedArchiveError {
  return new DamagedArchiveError(`the record of version ${String(version)} ${why}`);
}

function said({ state, records }: ArchiveCounts): string {
  return `${String(state)} objects and ${String(records)} records`;
}
