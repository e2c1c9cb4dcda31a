/**
 * The copy of the topic on this machine, from which everything is read: the newest records in
 * memory, all of them on disk, where they are written behind, in batches.
 *
 * It is a cache. A crash may cost its newest part, never a record in between; what is missing is
 * read from Kafka again. In front of what is complete there may be single old records, which
 * a snapshot put there because the objects in them are still current.
 */
import type { Database, RootDatabase } from 'lmdb';
import { CutRecords } from '../../embedded/cut-records.ts';
import { diskUsage, type DiskUsage } from '../../lmdb-usage.ts';
import { DamagedRecordError, decodeRecord } from '../../event-codec.ts';
import type { EventHeads } from '../../event-log.ts';
import type { LoggedEvent } from '../../event.ts';
import type { LogCuts } from '../../log-cuts.ts';
import { causeOf } from '../../lmdb-failure.ts';
import type { PathGuess } from '../../record-heads.ts';
import { resourceVersion, type ResourceVersion } from '../../resource-version.ts';
import type { TrimStep } from '../../trimmable-log.ts';
import {
  checkMeta,
  emptyMeta,
  latestOf,
  LOCAL_META_KEY,
  type LocalTopic,
  type Meta,
  type RecordIdentity,
} from './local-copy-meta.ts';
import { headsOf } from './local-heads.ts';
import { openLocalEnvironment, type LocalDatabase } from './local-environment.ts';
import { MemoryBatch, RecordsInMemory } from './records-in-memory.ts';

export interface LocalRecord {
  readonly version: ResourceVersion;
  /** As `encodeRecord` makes it. */
  readonly frame: Buffer;
}

export type LocalRecordBatches = AsyncIterable<readonly LocalRecord[]>;

/** The keys below are for what else is remembered. */
const FIRST_POSITION = 1;
const LAST_POSITION = Number.MAX_SAFE_INTEGER;
const SLICE_EVENTS_MAX = 512;
const SLICE_BYTES_MAX = 1024 * 1024;
/** Enough to share the cost of a transaction, few enough not to hold up the event loop. */
const WRITE_EVENTS_MAX = 1_024;
const WRITE_BYTES_MAX = 2 * 1024 * 1024;
const RETRY_MS = 1_000;

export interface LocalRecordsParts extends LocalTopic {
  /** A directory for this alone; made when it is not there. */
  readonly path: string;
  /** Is told when the disk did not take something; it is tried again. */
  readonly onProblem: (error: unknown) => void;
  readonly pause: (delayMs: number) => Promise<void>;
}

export class LocalRecords {
  readonly #parts: LocalRecordsParts;
  readonly #environment: RootDatabase;
  readonly #records: LocalDatabase;
  readonly #cuts: CutRecords;
  readonly #metas: Database<string, string>;
  readonly #memory = new RecordsInMemory();
  #meta: Meta;
  #last: RecordIdentity | undefined;
  #writing: Promise<void> | undefined;
  #isClosing = false;
  #whenWritten: (() => void)[] = [];

  /** @throws {LocalCopyError} it is the copy of another topic, or cannot be opened. */
  constructor(parts: LocalRecordsParts) {
    this.#parts = parts;
    const { environment, records, metas } = openLocalEnvironment(parts.path);
    this.#environment = environment;
    this.#records = records;
    this.#metas = metas;
    try {
      this.#meta = this.#readMeta();
    } catch (error) {
      void environment.close();
      throw error;
    }
    this.#cuts = new CutRecords({ opened: records });
    this.#last = latestOf(this.#lastOnDisk(), this.#meta.adopted);
  }

  /** The last record up to which everything is here; undefined in a copy that is empty. */
  get last(): RecordIdentity | undefined {
    return this.#last;
  }

  get newest(): ResourceVersion {
    return this.#last?.version ?? this.#parts.base;
  }

  /** As they are on disk. */
  get cuts(): LogCuts {
    return this.#cuts.cuts;
  }

  /** The first version from which on none is missing. */
  get completeFrom(): ResourceVersion {
    return resourceVersion(Math.max(this.#meta.begun ?? 0, this.#settled + 1));
  }

  /** Whether what is left in front of {@link completeFrom} is the state there, or just remains. */
  get isStateWhole(): boolean {
    return this.completeFrom === this.#settled + 1;
  }

  /** Bytes that are not on disk yet. */
  get unwrittenBytes(): number {
    return this.#memory.unwrittenBytes;
  }

  /** The oldest version in memory; `Infinity` when none is. */
  get oldestInMemory(): number {
    return this.#memory.oldest;
  }

  /** @throws {DamagedRecordError} the disk gave back other bytes than were written. */
  at(version: ResourceVersion): LoggedEvent | undefined {
    if (version > this.newest) return undefined;
    const event = this.#memory.at(version);
    if (event !== undefined) return event;
    const frame = this.#frame(version);
    return frame === undefined ? undefined : decodeRecord(frame, version);
  }

  /**
   * Some of the records from `from` on, in order; none when there are none yet.
   *
   * @throws {DamagedRecordError} one is missing that should be there, or was damaged.
   */
  slice(from: ResourceVersion): readonly LoggedEvent[] {
    if (from > this.newest) return [];
    if (from >= this.#memory.oldest) return this.#memory.slice(from);
    return this.#sliceFromDisk(from);
  }

  /** An empty copy: the topic's first record is here. */
  beginAt(version: ResourceVersion): void {
    this.#writeMeta({ ...this.#meta, begun: version });
  }

  /** Takes records that follow the last one without a gap. They can be read at once. */
  add(events: readonly LoggedEvent[]): void {
    const newest = events.at(-1);
    if (newest !== undefined) this.#add(MemoryBatch.ofEvents(events), newest);
  }

  /** The same of their frames. @param first the version of the first of them. */
  addFrames(first: ResourceVersion, frames: readonly Buffer[]): void {
    const newest = frames.at(-1);
    if (newest === undefined) return;
    const version = resourceVersion(first + frames.length - 1);
    this.#add(MemoryBatch.ofFrames(first, frames), decodeRecord(newest, version));
  }

  #add(batch: MemoryBatch, newest: LoggedEvent): void {
    this.#memory.push(batch);
    this.#last = { version: newest.resourceVersion, identity: identityOf(newest) };
    this.#writing ??= this.#write();
  }

  /** What a fold reads from `from` on. */
  heads(from: ResourceVersion, guess: PathGuess): EventHeads {
    return headsOf(
      {
        inMemory: (version) => (this.#isClosing ? undefined : this.#memory.recordAt(version)),
        onDisk: (version) => this.#completeFrame(version),
      },
      from,
      guess,
    );
  }

  /** Valid until the next one is asked for; undefined where nothing is complete. */
  #completeFrame(version: ResourceVersion): Buffer | undefined {
    if (this.#isClosing || version > this.newest || version < this.completeFrom) return undefined;
    const shared = this.#records.getBinaryFast(version);
    return shared?.subarray(0, shared.length);
  }

  /** Resolves when no more than so many bytes wait for the disk. */
  async writtenTo(bytesMax: number): Promise<void> {
    while (this.#memory.unwrittenBytes > bytesMax && !this.#isClosing) {
      await new Promise<void>((resolve) => {
        this.#whenWritten.push(resolve);
      });
    }
  }

  /**
   * Makes this copy what a snapshot says: these records, and no others, are the state as of `upTo`;
   * reading goes on behind it. Whatever was here before is gone.
   *
   * @param records some at a time, in any order, none behind `upTo`. When they break off, the copy
   *   is empty at the next start.
   * @param upTo the last record that the snapshot has folded.
   * @param cuts everything is cut at `upTo`, with the writers as of there.
   */
  async adopt(records: LocalRecordBatches, upTo: RecordIdentity, cuts: LogCuts): Promise<void> {
    await this.#clear();
    this.#writeMeta({ ...this.#meta, isFilling: true });
    for await (const batch of records) await this.#putAll(batch);
    await this.trim({ cuts, gone: [] });
    const begun = resourceVersion(cuts.settled + 1);
    this.#writeMeta({ ...this.#meta, begun, adopted: upTo, isFilling: false });
    this.#last = upTo;
  }

  /** See `TrimmableLog.trim`. */
  async trim({ cuts, gone }: TrimStep): Promise<void> {
    // What is not on disk yet cannot be removed from there.
    await this.writtenTo(0);
    this.#memory.forgetTo(cuts.settled);
    await this.#commit(() => {
      for (const version of gone) this.#records.remove(version).catch(ignore);
      this.#cuts.put(cuts);
    });
    this.#cuts.adopt(cuts);
  }

  diskUsage(): DiskUsage {
    return diskUsage(this.#environment, [this.#records, this.#metas]);
  }

  /** Resolves when everything is on disk. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#writing;
    this.#tellWritten();
    await this.#environment.close();
  }

  get #settled(): number {
    return Math.max(this.#parts.base, this.#cuts.cuts.settled);
  }

  #sliceFromDisk(from: ResourceVersion): readonly LoggedEvent[] {
    const end = Math.min(this.#memory.oldest, this.newest + 1);
    const { completeFrom } = this;
    const events: LoggedEvent[] = [];
    let bytes = 0;
    let expected: number = from;
    for (const position of this.#records.getKeys({ start: from, end })) {
      if (events.length === SLICE_EVENTS_MAX || bytes > SLICE_BYTES_MAX) return events;
      const version = resourceVersion(position);
      const frame = this.#frame(version) ?? NO_BYTES;
      // In front of what is complete there are gaps, and nowhere else.
      if (position > expected && position > completeFrom) throw missing(expected);
      expected = position + 1;
      events.push(decodeRecord(frame, version));
      bytes += frame.length;
    }
    if (events.length > 0) return events;
    if (end < completeFrom) return this.#memory.slice(completeFrom);
    return this.#memory.slice(resourceVersion(Math.max(from, end)));
  }

  /** A copy, which stays as it is. */
  #frame(version: ResourceVersion): Buffer | undefined {
    const shared = this.#records.getBinaryFast(version);
    if (shared === undefined) return undefined;
    // The buffer given is used for the next record too, and longer than its `length` tells.
    const frame = Buffer.allocUnsafe(shared.length);
    frame.set(shared.subarray(0, frame.length));
    return frame;
  }

  async #write(): Promise<void> {
    // What this turn of the event loop brings comes along.
    await Promise.resolve();
    for (;;) {
      const batches = this.#memory.unwritten({
        eventsMax: WRITE_EVENTS_MAX,
        bytesMax: WRITE_BYTES_MAX,
      });
      if (batches.length === 0) break;
      await this.#append(batches);
    }
    this.#writing = undefined;
  }

  async #append(batches: readonly MemoryBatch[]): Promise<void> {
    try {
      await this.#commit(() => {
        for (const batch of batches) this.#putBehind(batch);
      });
    } catch (error) {
      this.#parts.onProblem(error);
      if (this.#isClosing) this.#memory.written(batches);
      else await this.#parts.pause(RETRY_MS);
      return;
    }
    this.#memory.written(batches);
    this.#tellWritten();
  }

  /**
   * Without a condition, so that all have one promise: as many as there are records would be most of what a fold leaves to be
   * collected. A page is full up to its last record all the same, as each lies behind those before it.
   */
  #putBehind(batch: MemoryBatch): void {
    let last: Promise<boolean> | undefined;
    for (const [index, frame] of batch.encoded().entries()) {
      const put = this.#records.put(batch.first + index, frame);
      if (put !== last) put.catch(ignore);
      last = put;
    }
  }

  #tellWritten(): void {
    for (const tell of this.#whenWritten.splice(0)) tell();
  }

  async #putAll(records: readonly LocalRecord[]): Promise<void> {
    await this.#commit(() => {
      for (const { version, frame } of records) this.#records.put(version, frame).catch(ignore);
    });
  }

  async #commit(puts: () => void): Promise<void> {
    try {
      await this.#environment.batch(puts);
    } catch (error) {
      throw await causeOf(error);
    }
  }

  async #clear(): Promise<void> {
    await this.writtenTo(0);
    this.#memory.forgetTo(resourceVersion(LAST_POSITION));
    this.#writeMeta(emptyMeta(this.#parts));
    await this.#records.clearAsync();
    this.#last = undefined;
  }

  /** A copy that was left while it was being filled, or whose end is damaged, begins anew. */
  #readMeta(): Meta {
    const text = this.#metas.get(LOCAL_META_KEY);
    if (text === undefined) return this.#newMeta();
    // It was written here.
    const meta = JSON.parse(text) as Meta;
    checkMeta(meta, this.#parts, this.#parts.path);
    if (!meta.isFilling && this.#isEndReadable()) return meta;
    this.#records.clearSync();
    return this.#newMeta();
  }

  #newMeta(): Meta {
    const meta = emptyMeta(this.#parts);
    this.#metas.putSync(LOCAL_META_KEY, JSON.stringify(meta));
    return meta;
  }

  #writeMeta(meta: Meta): void {
    this.#metas.putSync(LOCAL_META_KEY, JSON.stringify(meta));
    this.#meta = meta;
  }

  #isEndReadable(): boolean {
    try {
      this.#lastOnDisk();
      return true;
    } catch (error) {
      this.#parts.onProblem(error);
      return false;
    }
  }

  #lastOnDisk(): RecordIdentity | undefined {
    const range = { start: LAST_POSITION, end: FIRST_POSITION - 1, reverse: true, limit: 1 };
    for (const position of this.#records.getKeys(range)) {
      const version = resourceVersion(position);
      const frame = this.#frame(version) ?? NO_BYTES;
      return { version, identity: identityOf(decodeRecord(frame, version)) };
    }
    return undefined;
  }
}

const NO_BYTES = Buffer.alloc(0);

function missing(position: number): DamagedRecordError {
  return new DamagedRecordError(`the record at ${String(position)} is missing from the local copy`);
}

/** `<writer>:<sequence>`, the same for every copy of an event. */
export function identityOf(event: { readonly writer: string; readonly sequence: number }): string {
  return `${event.writer}:${String(event.sequence)}`;
}

function ignore(): void {
  // Told by the promise of the batch.
}
