/**
 * The records of the embedded log in LMDB, each under its position.
 *
 * `overlappingSync: false` is LMDB as it was written: the pages are synced first and the page
 * that makes them part of the file is written last, synchronously. So what can be read is durable,
 * a crash at any moment leaves a whole prefix of the appends, and a failed commit left nothing.
 *
 * The surprise: no other process may open the file, not even to read it. LMDB remembers in its lock which transaction is the newest, and
 * each `open` sets that to what it has read in the file: a transaction that ended in between is forgotten, and the next one
 * is written over it. Other processes read the file without LMDB ({@link PageReads}).
 */
import { open, type RootDatabase } from 'lmdb';
import { AppendOutcomeUnknownError, LogUnavailableError } from '../event-log.ts';
import type { LogCuts } from '../log-cuts.ts';
import { causeOf } from '../lmdb-failure.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import type { TrimStep } from '../trimmable-log.ts';
import { CutRecords } from './cut-records.ts';
import { isFailedForGood } from './failed-for-good.ts';
import type { RecordStore } from './frame-groups.ts';
import { letGoOfFinished } from './finished-writes.ts';
import { diskUsage, type DiskUsage } from '../lmdb-usage.ts';
import { MappedFile } from '../mapped-file.ts';
import { PageReads } from './page-reads.ts';

/** Four records of a usual size fill a page; a page of 4 KiB would be half empty. */
export const PAGE_SIZE = 16 * 1024;
/** There are Secrets in it. lmdb takes this option, which its types leave out. */
const ONLY_OWNER = { permissionsMode: 0o600 };

const FIRST_POSITION = 1;
const LAST_POSITION = Number.MAX_SAFE_INTEGER;
/** Cuts lie behind it. */
const BEFORE_ALL = -3;

/** To open the file anew takes about a millisecond, once for some thousand records. */
const MAPPED_BYTES_MAX = 4 * 1024 * 1024;
/** What is cut is looked at once, and goes on and on: so much more of it may be mapped, as to open the file anew stops the others. */
const CUT_SHARE = 8;
/** Records that are as near as this lie in one stretch of the file, more or less. */
const NEAR_RECORDS = 16;

/** A record as it lies in the log. */
export interface StoredFrame {
  /** Its place in the log. */
  readonly version: ResourceVersion;
  /** As it was written. */
  readonly frame: Buffer;
}

/** The type declarations of lmdb leave out the options that `put` takes. */
type AppendableDatabase = RootDatabase<Buffer, number> & {
  put(position: number, frame: Buffer, options: { append: true }): Promise<boolean>;
};

/** Appends only behind the last key; so pages are filled to the end, and nothing is replaced. */
const BEHIND_THE_LAST = { append: true } as const;

interface RecordsOptions {
  readonly mappedBytesMax?: number | undefined;
  readonly isSynced?: boolean;
}

export class LmdbRecords implements RecordStore {
  readonly #path: string;
  readonly #mapped: MappedFile<AppendableDatabase>;
  readonly #cuts: CutRecords;
  readonly #pages: PageReads;
  /** Why no write is given to the file any more. */
  #failure: AppendOutcomeUnknownError | undefined;
  #lastRead = 0;

  /**
   * @param path a directory for this alone; made when it is not there.
   * @param options mappedBytesMax: see FileOpening. isSynced: whether a commit outlives a power cut, true by default.
   */
  constructor(path: string, options: RecordsOptions = {}) {
    const { mappedBytesMax = MAPPED_BYTES_MAX, isSynced = true } = options;
    this.#path = path;
    this.#mapped = new MappedFile({
      open: () => openRecords(path, { noSync: !isSynced }),
      close: (database) => database.close(),
      sizeBytes: (database) => diskUsage(database, []).bytes,
      mappedBytesMax,
    });
    this.#cuts = new CutRecords(this.#mapped);
    this.#pages = new PageReads(path, PAGE_SIZE);
  }

  get #database(): AppendableDatabase {
    return this.#mapped.opened;
  }

  /** The first version that is here; undefined when there are none. */
  first(): ResourceVersion | undefined {
    for (const position of this.#database.getKeys({ start: FIRST_POSITION, limit: 1 })) {
      return resourceVersion(position);
    }
    return undefined;
  }

  /** The last version that is here; undefined when there are none. */
  last(): ResourceVersion | undefined {
    const range = { start: LAST_POSITION, end: FIRST_POSITION - 1, reverse: true, limit: 1 };
    for (const position of this.#database.getKeys(range)) return resourceVersion(position);
    return undefined;
  }

  /** As it is on disk. */
  get cuts(): LogCuts {
    return this.#cuts.cuts;
  }

  /** The records at `from` and behind it that are here, with their frames, which may be parts of what many lie in. Lazy. */
  *framesFrom(from: ResourceVersion): Generator<StoredFrame> {
    let next = from;
    for (; ; next = resourceVersion(next + 1)) {
      this.#beginReads();
      const frame = this.#pages.share(next);
      if (frame === undefined) break;
      yield { version: next, frame };
    }
    // There may be a gap.
    for (const position of this.#database.getKeys({ start: next, end: LAST_POSITION })) {
      const version = resourceVersion(position);
      const frame = this.frame(version);
      if (frame !== undefined) yield { version, frame };
    }
  }

  /** A copy, which stays as it is. */
  frame(version: ResourceVersion): Buffer | undefined {
    return this.#frameOfPage(version) ?? this.#frameOfMap(version);
  }

  /** The same where it can be read by position, and valid until more is read. */
  sharedFrame(version: ResourceVersion): Buffer | undefined {
    this.#beginReads();
    return this.#pages.view(version);
  }

  #frameOfPage(version: ResourceVersion): Buffer | undefined {
    this.#beginReads();
    return this.#pages.read(version);
  }

  #beginReads(): void {
    if (this.#pages.isStale) {
      // Whatever is asked for: LMDB has a read transaction then, until other work has its turn.
      this.#database.getBinaryFast(BEFORE_ALL);
      this.#pages.begin();
      queueMicrotask(() => {
        this.#pages.end();
      });
    }
  }

  #frameOfMap(version: ResourceVersion): Buffer | undefined {
    const shared = this.#database.getBinaryFast(version);
    if (shared === undefined) return undefined;
    // The buffer given is used for the next record too, and longer than its `length` tells.
    const frame = Buffer.allocUnsafe(shared.length);
    frame.set(shared.subarray(0, frame.length));
    this.#mapped.touched(frame.length, Math.abs(version - this.#lastRead) < NEAR_RECORDS);
    this.#lastRead = version;
    return frame;
  }

  async write(first: ResourceVersion, frames: readonly Buffer[]): Promise<void> {
    const isAppended = await this.#written(bytesOf(frames), (database) =>
      put(database, first, frames),
    );
    if (!isAppended) {
      throw new AppendOutcomeUnknownError(
        `another process writes to ${this.#path}: version ${String(first)} was taken`,
      );
    }
  }

  /** See `TrimmableLog.trim`. */
  async trim({ cuts, gone }: TrimStep): Promise<void> {
    await this.#written((pagesOf(gone) * PAGE_SIZE) / CUT_SHARE, (database) =>
      database.batch(() => {
        for (const version of gone) void database.remove(version);
        this.#cuts.put(cuts);
      }),
    );
    this.#pages.forget();
    this.#cuts.adopt(cuts);
  }

  diskUsage(): DiskUsage {
    return diskUsage(this.#database, []);
  }

  close(): Promise<void> {
    this.#pages.close();
    return this.#mapped.close();
  }

  #written<Result>(
    bytes: number,
    work: (database: AppendableDatabase) => Promise<Result>,
  ): Promise<Result> {
    return this.#mapped.write(bytes, async (database) => {
      if (this.#failure !== undefined) throw this.#failure;
      try {
        return await work(database);
      } catch (error) {
        // Before a write that waits is given to the file.
        throw await this.#failureOf(database, error);
      }
    });
  }

  /** LMDB says of a failed commit only that it failed; whether it can go on tells the rest. */
  async #failureOf(database: AppendableDatabase, error: unknown): Promise<Error> {
    const cause = await causeOf(error);
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (isFailedForGood(database)) {
      const message = `${this.#path} failed in the last step: ${reason}`;
      this.#failure = new AppendOutcomeUnknownError(message, { cause });
      return this.#failure;
    }
    return new LogUnavailableError(
      `${this.#path} could not be written (is the disk full?): ${reason}`,
      { cause },
    );
  }
}

function openRecords(path: string, how: { readonly noSync: boolean }): AppendableDatabase {
  const database = open<Buffer, number>({
    path,
    ...how,
    ...ONLY_OWNER,
    encoding: 'binary',
    compression: false,
    overlappingSync: false,
    // Else lmdb opens a batch around ours, whose failure it tells a promise of its own.
    eventTurnBatching: false,
    pageSize: PAGE_SIZE,
  });
  letGoOfFinished(database);
  return database;
}

/** Whether all found their position free. */
function put(
  database: AppendableDatabase,
  first: ResourceVersion,
  frames: readonly Buffer[],
): Promise<boolean> {
  let appended: Promise<boolean> | undefined;
  const committed = database.batch(() => {
    for (const [index, frame] of frames.entries()) {
      const isPut = database.put(first + index, frame, BEHIND_THE_LAST);
      isPut.catch(ignore);
      // The first is asked, which fails where anything lies behind the log already: one behind it can be put all the same.
      appended ??= isPut;
    }
  });
  committed.catch(ignore);
  return appended ?? Promise.resolve(false);
}

/** About how many pages they lie in, that follow each other by version. */
function pagesOf(versions: readonly ResourceVersion[]): number {
  let pages = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const version of versions) {
    if (version - last < NEAR_RECORDS) continue;
    pages += 1;
    last = version;
  }
  return pages;
}

function bytesOf(frames: readonly Buffer[]): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}

function ignore(): void {
  // Told by another promise.
}
