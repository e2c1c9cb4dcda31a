/**
 * The local store of a replica in LMDB: which versions each object had, and how far the fold
 * has come. The bytes of the objects are not here but in the log.
 *
 * It is written behind, a little late and in large transactions, each of which LMDB syncs
 * before it counts. So a crash, even of the machine, costs the last moments, which the fold takes
 * from the log again, and never leaves half of what was recorded together.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { Slices } from '../../api/meta/slices.ts';
import type { DiskUsage } from '../../streams/lmdb-usage.ts';
import type { EventReader } from '../../streams/event-log.ts';
import { cutOf, laterCut, NO_CUTS, type Cut, type LogCuts } from '../../streams/log-cuts.ts';
import { isFailedForGood } from '../../streams/embedded/failed-for-good.ts';
import { causeOf } from '../../streams/lmdb-failure.ts';
import { AROUND_BYTES, type MappedFile } from '../../streams/mapped-file.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { FillingInParts, leftFilling, type LeftFilling } from './filling-in-parts.ts';
import { forgottenText, isWorthTidying, leftovers, resourcesIn } from './history-leftovers.ts';
import { HistoryReads, type SortedKeys } from './history-reads.ts';
import {
  HistoryBehindError,
  type FateReads,
  type FoldProgress,
  type GoneRecord,
  type ObjectStore,
  type PathChange,
  type PathFate,
  type PathRange,
  type PathVersion,
  type RecordedEvent,
} from './object-history.ts';
import { PendingRecords, type RecordedBatch } from './pending-records.ts';
import { checkName, TYPE_CODES, type HistoryEntry, type StoreKey } from './store-key.ts';
import { openStore, usageOf, type OpenStore, type StoreOpening } from './store-tables.ts';
import { StoredTimes } from './stored-times.ts';

const FLUSH_DELAY_MS = 200;
const RETRY_DELAY_MS = 1_000;
/** So long an end waits for what a long log is written into: three million events, more or less. */
const FILLED_WITHIN_MS = 10_000;
/** Enough that the cost of a transaction is shared, few enough not to hold up the event loop. */
const FLUSH_CHANGES = 512;
const BACKLOG_PARTS = 8;
/**
 * So many wait only while a long log is folded, and no client is served yet. Then more is better: each transaction writes a
 * whole page for each object that it tells of, wherever the objects lie.
 */
const FAR_BEHIND_CHANGES = 8_192;
const FAR_BEHIND_FLUSH = 32_768;

const NOTHING = Buffer.alloc(0);
const BEFORE_ALL: StoreKey = { resource: '' };
const APPLIED = 'applied';
const WRITER = 'writer/';
/** The cuts in front of which nothing is left over. */
const FORGOTTEN = 'forgotten';
/** Entries of the history that are removed in one transaction. */
const TIDIED_AT_ONCE = 1_024;
/** Whose pages lie beside each other. */
const IN_A_ROW = 64;

export class LmdbObjectStore implements ObjectStore, FateReads {
  readonly #file: MappedFile<OpenStore>;
  readonly #history: SortedKeys<HistoryEntry>;
  readonly #reads: HistoryReads;
  readonly #clock: Clock;
  readonly #pending: PendingRecords;
  readonly #writers = new Map<string, number>();
  readonly #times: StoredTimes;
  readonly #cuts = new Map<string, Cut>();
  #everything = NO_CUTS.everything;
  #applied: ResourceVersion;
  #filling: FillingInParts | undefined;
  /** It was written, and the store still says that it is being filled. */
  #filled: FillingInParts | undefined;
  #isOver = false;
  #recordedBatches = 0;
  #writtenBatches = 0;
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** @param path a directory for stores alone; made when it is not there. */
  constructor(path: string, clock: Clock, opening?: StoreOpening) {
    this.#file = openStore(path, clock, opening);
    const left = leftFilling(this.#file.opened);
    // Walks go on in later turns, when the file may have been opened anew.
    this.#history = { getKeys: (range) => this.#looked(({ history }) => history.getKeys(range)) };
    this.#reads = new HistoryReads(this.#history, {
      getKeys: (range) => this.#looked(({ changes }) => changes.getKeys(range)),
    });
    this.#times = new StoredTimes(this.#file);
    this.#clock = clock;
    const { database } = this.#file.opened;
    this.#applied = resourceVersion(Number(database.get(APPLIED) ?? 0));
    for (const { key, value } of database.getRange({ start: WRITER })) {
      if (key.startsWith(WRITER)) this.#writers.set(key.slice(WRITER.length), Number(value));
    }
    for (const batch of left?.batches ?? []) this.#adoptWriters(batch);
    this.#pending = new PendingRecords(this.#writers);
    if (left !== undefined) this.#goOn(left);
  }

  /** As of what is on disk; what was recorded since then counts once it is settled. */
  get appliedVersion(): ResourceVersion {
    return this.#applied;
  }

  get latestTime(): number {
    return this.#times.latest;
  }

  writers(): ReadonlyMap<string, number> {
    return this.#writers;
  }

  *current(): Generator<PathVersion & { readonly resource: string }> {
    if (this.#filling !== undefined) {
      yield* this.#filling.current();
      return;
    }
    const all = this.#file.walked(({ tables }) => tables.current.getRange({ start: BEFORE_ALL }));
    for (const { key, value } of all) {
      const { resource, path } = key;
      yield { resource, path, resourceVersion: resourceVersion(Number(value)) };
    }
  }

  /** @throws {RangeError} a path is too long to be a key; nothing of the batch is recorded. */
  record(events: readonly RecordedEvent[], progress: FoldProgress): void {
    for (const event of events) checkName(event);
    this.#recordedBatches += 1;
    if (this.#filling?.isOpenTo(progress.applied) === true) {
      this.#filling.add(events, this.#pending.add([], progress));
      return;
    }
    this.#pending.add(events, progress);
    if (this.#pending.changes >= FLUSH_CHANGES) this.#writeInBackground();
    else this.#writeAfter(FLUSH_DELAY_MS);
  }

  beginFilling(end: ResourceVersion): void {
    this.#filling?.goOnTo(end);
    if (this.#applied > 0 || this.#recordedBatches > 0 || this.#filling !== undefined) return;
    this.#filling = this.#fillingUpTo(end);
  }

  get isFilling(): boolean {
    return this.#filling?.isOpen === true;
  }

  async settled(): Promise<void> {
    const recorded = this.#recordedBatches;
    try {
      while (this.#writtenBatches < recorded) await this.#write();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new HistoryBehindError(`the store cannot be written: ${why}`, { cause: error });
    }
  }

  versionAt(resource: string, path: string, version: ResourceVersion): ResourceVersion | undefined {
    const current = this.#looked((tables) => tables.current.get({ resource, path }));
    if (current !== undefined && Number(current) <= version)
      return resourceVersion(Number(current));
    return this.#reads.versionAt({ resource, path }, version);
  }

  pathsAt(resource: string, where: PathRange, version: ResourceVersion): Iterable<PathVersion> {
    return this.#reads.pathsAt(resource, where, version);
  }

  stepsAt(
    resource: string,
    where: PathRange,
    version: ResourceVersion,
  ): Iterable<PathVersion | undefined> {
    return this.#reads.stepsAt(resource, where, version);
  }

  fatesAt(resource: string, where: PathRange, version: ResourceVersion): Iterable<PathFate> {
    return this.#reads.fatesAt(resource, where, version);
  }

  resourcesEver(): Iterable<string> {
    return resourcesIn(this.#history);
  }

  changesAfter(resource: string, version: ResourceVersion): Iterable<ResourceVersion> {
    return this.#reads.changesAfter(resource, version);
  }

  versionsOf(resource: string, path: string): Iterable<PathChange> {
    return this.#reads.versionsOf({ resource, path }, this.readableSince(resource));
  }

  readableSince(resource: string): ResourceVersion {
    return cutOf({ everything: this.#everything, resources: this.#cuts }, resource).version;
  }

  versionAtTime(timeMs: number, log: Pick<EventReader, 'at'>): ResourceVersion | undefined {
    const cuts = [this.#everything, ...this.#cuts.values()];
    const found = this.#times.versionAt(timeMs, { log, cuts, applied: this.#applied });
    return found < this.#everything.version ? undefined : found;
  }

  adoptCuts(cuts: LogCuts): void {
    this.#everything = laterCut(this.#everything, cuts.everything);
    for (const [resource, cut] of cuts.resources) {
      this.#cuts.set(resource, laterCut(cut, this.#cuts.get(resource)));
    }
  }

  /** @throws what the disk says when it does not take it; then nothing was forgotten. */
  async forget(gone: readonly GoneRecord[], cuts?: LogCuts): Promise<void> {
    await this.#change(IN_A_ROW, ({ database, tables }) => {
      for (const { resource, resourceVersion: version } of gone)
        void tables.changes.remove({ resource, version });
      if (cuts !== undefined) void database.put(FORGOTTEN, forgottenText(cuts));
    });
  }

  async tidy(cuts: LogCuts, stopped: () => boolean = () => false): Promise<void> {
    const { database, tables } = this.#file.opened;
    const forgotten = database.get(FORGOTTEN) ?? forgottenText(NO_CUTS);
    if (!isWorthTidying(tables, forgotten, cuts)) return;
    const slices = new Slices(this.#clock);
    let gone: HistoryEntry[] = [];
    for (const resource of resourcesIn(this.#history)) {
      for (const some of leftovers(this.#history, resource, cutOf(cuts, resource).version)) {
        gone = gone.concat(some);
        if (gone.length >= TIDIED_AT_ONCE) {
          await this.#tidied(gone);
          gone = [];
        }
        if (stopped()) return;
        await slices.next();
      }
    }
    await this.#tidied(gone);
    await this.forget([], cuts);
  }

  /** What is over in the history, is over among the changes, if it was not removed there before. */
  #tidied(gone: readonly HistoryEntry[]): Promise<void> {
    return this.#change(IN_A_ROW, ({ tables }) => {
      for (const { name, version, type } of gone)
        void tables.history.remove({ ...name, version, type });
      for (const { name, version } of gone.toSorted((one, other) => one.version - other.version))
        void tables.changes.remove({ resource: name.resource, version });
    });
  }

  diskUsage(): DiskUsage {
    return usageOf(this.#file.opened);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // A log that was not read to its end is read on by the next start.
    const unread = this.isFilling ? this.#filling : undefined;
    this.#isOver = unread !== undefined;
    const cancel = this.#clock.after(FILLED_WITHIN_MS, () => (this.#isOver = true));
    try {
      await (unread === undefined ? this.settled() : unread.kept());
    } catch {
      // The log has it, so the next start takes it from there.
    }
    cancel();
    this.#cancelTimer?.();
    await this.#file.close();
  }

  /** What is looked at is somewhere in the file, and mapped from then on. */
  #looked<Found>(look: (tables: OpenStore['tables']) => Found): Found {
    this.#file.touched(AROUND_BYTES, false);
    return look(this.#file.opened.tables);
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
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    if (this.#filling !== undefined) await this.#fill(this.#filling);
    await this.#writeNext();
  }

  /** The store says that it is being filled until the next transaction, which says how far it has come. */
  async #fill(filling: FillingInParts): Promise<void> {
    await filling.write(() => this.#isOver);
    if (this.#isOver) throw new Error('the store is closed');
    [this.#filling, this.#filled] = [undefined, filling];
  }

  /** What a process has left that ended meanwhile is in memory, and is still to be written. */
  #goOn(left: LeftFilling): void {
    this.#pending.putBack(left.batches);
    this.#recordedBatches = left.batches.length;
    this.#applied = left.batches.at(-1)?.applied ?? this.#applied;
    this.#filling = this.#fillingUpTo(this.#applied, left);
    // The parts may be any size, and have been looked at.
    this.#file.touched(Number.POSITIVE_INFINITY, false);
  }

  #fillingUpTo(end: ResourceVersion, left?: LeftFilling): FillingInParts {
    return new FillingInParts((puts) => this.#change(IN_A_ROW, puts), end, left);
  }

  async #writeNext(): Promise<void> {
    const { changes: waiting } = this.#pending;
    const usual = Math.max(FLUSH_CHANGES, Math.floor(waiting / BACKLOG_PARTS));
    const batches = this.#pending.take(waiting > FAR_BEHIND_CHANGES ? FAR_BEHIND_FLUSH : usual);
    const last = batches.at(-1);
    if (last === undefined) return;
    const times = this.#times.with(batches);
    try {
      const changes = batches.reduce((sum, batch) => sum + batch.changes.length, 0);
      await this.#change(changes, (store) => {
        for (const batch of batches) put(store, batch);
        times.put(store);
        void store.database.put(APPLIED, String(last.applied));
        this.#filled?.putEnd(store);
      });
    } catch (error) {
      this.#pending.putBack(batches);
      throw error;
    }
    times.adopt();
    this.#filled = undefined;
    this.#writtenBatches += batches.length;
    this.#applied = last.applied;
    for (const batch of batches) this.#adoptWriters(batch);
  }

  /** One transaction. @param changes how many objects it tells of, which lie anywhere. */
  async #change(changes: number, puts: (store: OpenStore) => void): Promise<void> {
    await this.#file.write(changes * AROUND_BYTES, async (store) => {
      try {
        await store.database.batch(() => {
          puts(store);
        });
      } catch (error) {
        const cause = await causeOf(error);
        // Before a write that waits is given to it, which would never be answered.
        if (isFailedForGood(store.database)) this.#file.openAnew();
        throw cause;
      }
    });
  }

  #adoptWriters(batch: RecordedBatch): void {
    for (const [writer, sequence] of batch.writers) {
      if (sequence === undefined) this.#writers.delete(writer);
      else this.#writers.set(writer, sequence);
    }
  }
}

function put({ database, tables }: OpenStore, batch: RecordedBatch): void {
  const { current, history, changes } = tables;
  for (const { resource, path, version, type } of batch.changes) {
    void history.put({ resource, path, version, type: TYPE_CODES[type] }, NOTHING);
    void changes.put({ resource, version }, NOTHING);
    if (type === 'deleted') void current.remove({ resource, path });
    else void current.put({ resource, path }, String(version));
  }
  for (const [writer, sequence] of batch.writers) {
    if (sequence === undefined) void database.remove(WRITER + writer);
    else void database.put(WRITER + writer, String(sequence));
  }
}
