/**
 * The local store of a replica in LMDB: which versions each object had, and how far the fold
 * has come. The bytes of the objects are not here but in the log.
 *
 * It is written behind, a little late and in large transactions, each of which LMDB syncs
 * before it counts. So a crash, even of the machine, costs the last moments, which the fold takes
 * from the log again, and never leaves half of what was recorded together.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import type { Clock } from '../../api/meta/clock.ts';
import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { HistoryReads, type SortedKeys } from './history-reads.ts';
import type { ObjectStore, PathVersion } from './object-history.ts';
import { PendingRecords, type Progress, type RecordedBatch } from './pending-records.ts';
import {
  checkName,
  HistoryEntryReader,
  readChangeVersion,
  readName,
  TYPE_CODES,
  writeStoreKey,
  type HistoryEntry,
  type ObjectName,
  type StoreKey,
} from './store-key.ts';

/** The layout below; a store in another one is thrown away and filled from the log. */
const LAYOUT = 'objects-1';

/** Measured: a fifth less work than with pages of 4 KiB when writes are spread widely. */
const PAGE_SIZE = 8 * 1024;

const FLUSH_DELAY_MS = 200;
const RETRY_DELAY_MS = 1_000;
/** Enough that the cost of a transaction is shared, few enough not to hold up the event loop. */
const FLUSH_CHANGES = 512;

const NOTHING = Buffer.alloc(0);
const BEFORE_ALL: StoreKey = { resource: '' };
const APPLIED = 'applied';
const WRITER = 'writer/';

export class LmdbObjectStore implements ObjectStore {
  readonly #database: RootDatabase<string, string>;
  readonly #tables: Tables;
  readonly #reads: HistoryReads;
  readonly #clock: Clock;
  readonly #pending: PendingRecords;
  readonly #writers = new Map<string, number>();
  #applied: ResourceVersion;
  #recordedBatches = 0;
  #writtenBatches = 0;
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** @param path a directory for stores alone; made when it is not there. */
  constructor(path: string, clock: Clock) {
    this.#database = openDatabase(path);
    this.#tables = openTables(this.#database);
    this.#reads = new HistoryReads(this.#tables.history, this.#tables.changes);
    this.#clock = clock;
    this.#applied = resourceVersion(Number(this.#database.get(APPLIED) ?? 0));
    for (const { key, value } of this.#database.getRange({ start: WRITER })) {
      if (key.startsWith(WRITER)) this.#writers.set(key.slice(WRITER.length), Number(value));
    }
    this.#pending = new PendingRecords(this.#writers);
  }

  /** As of what is on disk; what was recorded since then counts once it is settled. */
  get appliedVersion(): ResourceVersion {
    return this.#applied;
  }

  writers(): ReadonlyMap<string, number> {
    return this.#writers;
  }

  *current(): Generator<PathVersion & { readonly resource: string }> {
    for (const { key, value } of this.#tables.current.getRange({ start: BEFORE_ALL })) {
      yield { ...key, resourceVersion: resourceVersion(Number(value)) };
    }
  }

  /** @throws {RangeError} a path is too long to be a key; nothing of the batch is recorded. */
  record(events: readonly CommittedEvent[], progress: Progress): void {
    for (const event of events) checkName(event);
    this.#pending.add(events, progress);
    this.#recordedBatches += 1;
    if (this.#pending.changes >= FLUSH_CHANGES) this.#writeInBackground();
    else this.#writeAfter(FLUSH_DELAY_MS);
  }

  /** @throws what the disk says when it does not take it; it is tried again by itself. */
  async settled(): Promise<void> {
    const recorded = this.#recordedBatches;
    while (this.#writtenBatches < recorded) await this.#write();
  }

  versionAt(resource: string, path: string, version: ResourceVersion): ResourceVersion | undefined {
    const current = this.#tables.current.get({ resource, path });
    if (current !== undefined && Number(current) <= version)
      return resourceVersion(Number(current));
    return this.#reads.versionAt({ resource, path }, version);
  }

  pathsAt(
    resource: string,
    where: { readonly prefix: string; readonly from: string },
    version: ResourceVersion,
  ): Iterable<PathVersion> {
    return this.#reads.pathsAt(resource, where, version);
  }

  changesAfter(resource: string, version: ResourceVersion): Iterable<ResourceVersion> {
    return this.#reads.changesAfter(resource, version);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.settled();
    } catch {
      // The log has it, so the next start takes it from there.
    }
    this.#cancelTimer?.();
    await this.#database.close();
  }

  #writeAfter(delayMs: number): void {
    this.#cancelTimer ??= this.#clock.after(delayMs, () => {
      this.#cancelTimer = undefined;
      this.#writeInBackground();
    });
  }

  #writeInBackground(): void {
    this.#write().then(
      () => {
        if (!this.#pending.isEmpty) this.#writeAfter(FLUSH_DELAY_MS);
      },
      () => {
        if (this.#closing === undefined) this.#writeAfter(RETRY_DELAY_MS);
      },
    );
  }

  /** Writes some of what is pending, in one transaction; one at a time. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeNext().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeNext(): Promise<void> {
    const batches = this.#pending.take(FLUSH_CHANGES);
    const last = batches.at(-1);
    if (last === undefined) return;
    try {
      await this.#database.batch(() => {
        for (const batch of batches) this.#put(batch);
        void this.#database.put(APPLIED, String(last.applied));
      });
    } catch (error) {
      this.#pending.putBack(batches);
      throw await causeOf(error);
    }
    this.#writtenBatches += batches.length;
    this.#applied = last.applied;
    for (const batch of batches) this.#adoptWriters(batch);
  }

  #put(batch: RecordedBatch): void {
    const { current, history, changes } = this.#tables;
    for (const { resource, path, version, type } of batch.changes) {
      void history.put({ resource, path, version, type: TYPE_CODES[type] }, NOTHING);
      void changes.put({ resource, version }, NOTHING);
      if (type === 'deleted') void current.remove({ resource, path });
      else void current.put({ resource, path }, String(version));
    }
    for (const [writer, sequence] of batch.writers) {
      if (sequence === undefined) void this.#database.remove(WRITER + writer);
      else void this.#database.put(WRITER + writer, String(sequence));
    }
  }

  #adoptWriters(batch: RecordedBatch): void {
    for (const [writer, sequence] of batch.writers) {
      if (sequence === undefined) this.#writers.delete(writer);
      else this.#writers.set(writer, sequence);
    }
  }
}

/** One named table of LMDB, with keys of our own kind: they are written as StoreKey. */
interface Table<Value, Key> extends SortedKeys<Key> {
  get(key: StoreKey): Value | undefined;
  getRange(range: { start: StoreKey }): Iterable<{ readonly key: Key; readonly value: Value }>;
  put(key: StoreKey, value: Value): Promise<boolean>;
  remove(key: StoreKey): Promise<boolean>;
}

interface Tables {
  /** The version of every object that exists. */
  readonly current: Table<string, ObjectName>;
  /** Every version of every object. */
  readonly history: Table<Buffer, HistoryEntry>;
  /** The versions of a resource's events. */
  readonly changes: Table<Buffer, ResourceVersion>;
}

type ReadKey<Key> = (source: Buffer, start: number, end: number) => Key;

function openDatabase(path: string): RootDatabase<string, string> {
  mkdirSync(path, { recursive: true });
  for (const name of readdirSync(path)) {
    if (name !== LAYOUT) rmSync(join(path, name), { recursive: true, force: true });
  }
  return open<string, string>({
    path: join(path, LAYOUT),
    encoding: 'string',
    compression: false,
    overlappingSync: false,
    // Else lmdb opens a batch around ours, whose failure it tells a promise that nobody has.
    eventTurnBatching: false,
    pageSize: PAGE_SIZE,
  });
}

function openTables(database: RootDatabase<string, string>): Tables {
  return {
    current: openTable(database, { name: 'current', encoding: 'string', readKey: readName }),
    history: openTable(database, {
      name: 'history',
      encoding: 'binary',
      readKey: new HistoryEntryReader().read,
    }),
    changes: openTable(database, {
      name: 'changes',
      encoding: 'binary',
      readKey: readChangeVersion,
    }),
  };
}

function openTable<Value, Key>(
  database: RootDatabase<string, string>,
  table: {
    readonly name: string;
    readonly encoding: 'binary' | 'string';
    readonly readKey: ReadKey<Key>;
  },
): Table<Value, Key> {
  const options = {
    name: table.name,
    encoding: table.encoding,
    keyEncoder: { writeKey: writeStoreKey, readKey: table.readKey },
  };
  // The declarations of lmdb do not know that a key encoder brings its own kind of key.
  return database.openDB(options) as unknown as Table<Value, Key>;
}

/** lmdb puts the error of the system behind a second promise, which nobody else handles. */
async function causeOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
