/** The files of the object store: which tables there are, and how their keys are written. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../api/meta/clock.ts';
import { open, type Database, type RootDatabase } from 'lmdb';
import { diskUsage, type Countable, type DiskUsage } from '../../streams/lmdb-usage.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { MappedFile } from '../../streams/mapped-file.ts';
import type { SortedKeys } from './history-reads.ts';
import {
  HistoryEntryReader,
  NameReader,
  readChangeVersion,
  writeStoreKey,
  type HistoryEntry,
  type ObjectName,
  type StoreKey,
} from './store-key.ts';

/** The layout below; a store in another one is thrown away and filled from the log. */
const LAYOUT = 'objects-2';

/** Measured: a fifth less work than with pages of 4 KiB when writes are spread widely. */
const PAGE_SIZE = 8 * 1024;
/** A write of many objects touches pages everywhere. */
const MAPPED_BYTES_MAX = 4 * 1024 * 1024;
/** So many times that may be mapped for so long: a client that moves through time looks at all of the store again and again. */
const BURST = { times: 48, ms: 2_000 };
/** lmdb takes this option, which its types leave out. */
const ONLY_OWNER = { permissionsMode: 0o600 };

/** The file as a whole; what is not in a table is kept here under a name. */
type StoreFile = RootDatabase<string, string>;

/** One named table of LMDB, with keys of our own kind: they are written as StoreKey. */
export interface Table<Value, Key> extends SortedKeys<Key>, Countable {
  get(key: StoreKey): Value | undefined;
  getRange(range: { start: StoreKey }): Iterable<{ readonly key: Key; readonly value: Value }>;
  put(key: StoreKey, value: Value): Promise<boolean>;
  remove(key: StoreKey): Promise<boolean>;
  clearSync(): void;
}

export type TimesTable = Database<string, number>;
/** Bytes by their numbers. */
type PartsTable = Database<Buffer, number>;

interface Tables {
  /** The version of every object that exists. */
  readonly current: Table<string, ObjectName>;
  /** Every version of every object. */
  readonly history: Table<Buffer, HistoryEntry>;
  /** The versions of a resource's events. */
  readonly changes: Table<Buffer, ResourceVersion>;
  /** For some times: up to which version no record is later. See time-index.ts. */
  readonly times: TimesTable;
  /** Of a log that is folded into an empty store, while it is. See filling-in-parts.ts. */
  readonly parts: PartsTable;
}

type ReadKey<Key> = (source: Buffer, start: number, end: number) => Key;

/** The file opened, and what is read of it. */
export interface OpenStore {
  readonly database: StoreFile;
  readonly tables: Tables;
}

/** How the file of a store is opened. */
export interface StoreOpening {
  /** See FileOpening. */
  readonly mappedBytesMax?: number | undefined;
  /** Whether the store outlives a power cut; it does unless this is false. */
  readonly isSynced?: boolean;
}

/** @param path a directory for stores alone; made when it is not there. */
export function openStore(
  path: string,
  clock: Clock,
  { mappedBytesMax = MAPPED_BYTES_MAX, isSynced = true }: StoreOpening = {},
): MappedFile<OpenStore> {
  return new MappedFile({
    open: () => {
      const database = openDatabase(path, isSynced);
      return { database, tables: openTables(database) };
    },
    close: ({ database }) => database.close(),
    sizeBytes: ({ database }) => diskUsage(database, []).bytes,
    mappedBytesMax,
    burst: {
      mappedBytesMax: mappedBytesMax * BURST.times,
      after: (letGo) => clock.after(BURST.ms, letGo),
    },
  });
}

function openDatabase(path: string, isSynced: boolean): StoreFile {
  mkdirSync(join(path, LAYOUT), { recursive: true, mode: 0o700 });
  for (const name of readdirSync(path)) {
    if (name !== LAYOUT) rmSync(join(path, name), { recursive: true, force: true });
  }
  return open<string, string>({
    path: join(path, LAYOUT),
    ...ONLY_OWNER,
    encoding: 'string',
    compression: false,
    overlappingSync: false,
    noSync: !isSynced,
    // Else lmdb opens a batch around ours, whose failure it tells a promise of its own.
    eventTurnBatching: false,
    pageSize: PAGE_SIZE,
  });
}

function openTables(database: StoreFile): Tables {
  return {
    current: openTable(database, {
      name: 'current',
      encoding: 'string',
      readKey: new NameReader().read,
    }),
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
    times: database.openDB<string, number>({ name: 'times', encoding: 'string' }),
    parts: database.openDB<Buffer, number>({ name: 'parts', encoding: 'binary' }),
  };
}

export function usageOf({ database, tables }: OpenStore): DiskUsage {
  const { current, history, changes, times, parts } = tables;
  return diskUsage(database, [current, history, changes, times, parts]);
}

function openTable<Value, Key>(
  database: StoreFile,
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
