/**
 * The log on this machine's disk, for one process. A version is the place in the log,
 * counted from 1, and an append is answered when it would outlive a power cut.
 *
 * In Kubernetes: etcd, of which each kube-apiserver is a client.
 */
import { availableParallelism } from 'node:os';
import { DamagedRecordError, decodeRecord, valueOfRecord } from '../event-codec.ts';
import type { EventHeads, EventLog } from '../event-log.ts';
import type { EventHead, LoggedEvent, ProposedEvent } from '../event.ts';
import type { LogCuts } from '../log-cuts.ts';
import { closedError, LogReaders } from '../log-readers.ts';
import { HeadReader, type PathGuess } from '../record-heads.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import type { TrimmableLog, TrimStep } from '../trimmable-log.ts';
import { GroupCommit } from './group-commit.ts';
import { HeadsAhead } from './heads-ahead.ts';
import { LmdbRecords, PAGE_SIZE } from './lmdb-records.ts';
import type { DiskUsage } from '../lmdb-usage.ts';
import { RecentEvents } from './recent-events.ts';

const SLICE_EVENTS_MAX = 256;
const SLICE_BYTES_MAX = 1024 * 1024;

/** Of fewer records none is read by a thread, which takes some 40 ms to begin. */
const AHEAD_FROM = 131_072;
/** Meanwhile so many are folded. */
const LEAD = 16_384;

export interface EmbeddedLogOptions {
  /** The log goes on behind this version, of which and of all before it it knows nothing. */
  readonly base?: ResourceVersion;
  /** How many bytes of the file stay mapped into memory, more or less. */
  readonly mappedBytesMax?: number;
  /** Whether an append outlives a power cut; it does unless this is false, and outlives the process anyway. */
  readonly isSynced?: boolean;
  /** undefined: no thread reads ahead. */
  readonly headsAhead?: HeadsAheadOptions | undefined;
}

/** A fold of many records has a thread that reads ahead of it. */
export interface HeadsAheadOptions {
  /** The built thread. */
  readonly program: string;
  /** Of so many records or more. */
  readonly from?: number;
}

export class EmbeddedEventLog implements EventLog, TrimmableLog {
  readonly #records: LmdbRecords;
  readonly #commits: GroupCommit;
  readonly #readers: LogReaders;
  readonly #recent = new RecentEvents();
  readonly #base: ResourceVersion;
  readonly #path: string;
  /** Until a fold has asked whether it is long enough. */
  #headsAhead: HeadsAheadOptions | undefined;
  /** While a long log is folded. */
  #ahead: HeadsAhead | undefined;
  /** There is one thread at most, and this resolves when it was ended before the log is closed. */
  #endedAhead: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /**
   * @param path the log's own directory, which only this process uses: `logPath` of a
   *   data directory that was opened. Made when it is not there.
   * @throws {RangeError} there are records up to `base`.
   */
  constructor(path: string, options: EmbeddedLogOptions = {}) {
    const { base = resourceVersion(0), mappedBytesMax, isSynced = true, headsAhead } = options;
    this.#path = path;
    this.#headsAhead = headsAhead;
    this.#records = new LmdbRecords(path, { mappedBytesMax, isSynced });
    this.#base = base;
    const first = this.#records.first();
    if (first !== undefined && first <= base) {
      throw new RangeError(
        `${path} has a record at ${String(first)}, and begins behind ${String(base)}`,
      );
    }
    const oldest = (): ResourceVersion => this.#oldest;
    this.#readers = new LogReaders({
      beginning: resourceVersion(base + 1),
      get oldest() {
        return oldest();
      },
      slice: (from) => this.#slice(from),
    });
    this.#commits = new GroupCommit(this.#records, this.#records.last() ?? base, (events) => {
      this.#recent.push(events);
      this.#readers.publish(events);
    });
  }

  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    return this.#commits.append(events);
  }

  read(from: ResourceVersion, signal: AbortSignal): AsyncIterable<readonly LoggedEvent[]> {
    // A fold that reads events reads no heads any more; one that does not reads on by itself.
    this.#endedAhead ??= this.#ahead?.close();
    this.#ahead = undefined;
    return this.#readers.read(from, signal);
  }

  /**
   * @throws {LogUnavailableError} the log is closed.
   * @throws {DamagedRecordError} the disk gave back other bytes than were written.
   */
  at(version: ResourceVersion): LoggedEvent | undefined {
    if (this.#closing !== undefined) throw closedError();
    if (version > this.#commits.newest) return undefined;
    const frame = this.#records.frame(version);
    if (frame !== undefined) return decodeRecord(frame, version);
    if (version < this.#oldest) return undefined;
    throw missing(version);
  }

  jsonAt(version: ResourceVersion): Uint8Array | undefined {
    if (this.#closing !== undefined || version > this.#commits.newest) return undefined;
    const frame = this.#records.sharedFrame(version);
    return frame && valueOfRecord(frame, version);
  }

  heads(from: ResourceVersion, guess: PathGuess): EventHeads {
    const reader = new HeadReader(guess);
    const ahead = this.#aheadOf(from);
    const next = (version: ResourceVersion): EventHead | undefined => {
      if (this.#closing !== undefined || version > this.#commits.newest) return undefined;
      if (version < this.#oldest || ahead?.isAwaited(version) === true) return undefined;
      if (ahead?.find(version) === true) {
        const head = reader.readHeader(ahead.bytes, [ahead.start, ahead.end], version);
        if (head !== undefined) return head;
      }
      const frame = this.#records.sharedFrame(version);
      return frame && reader.read(frame, version);
    };
    let version = from;
    return {
      next: () => {
        const head = next(version);
        version = resourceVersion(version + 1);
        return head;
      },
    };
  }

  async whenHere(version: ResourceVersion, signal: AbortSignal): Promise<void> {
    await this.#ahead?.whenHere(version, signal);
  }

  #aheadOf(from: ResourceVersion): HeadsAhead | undefined {
    const { program, from: many = AHEAD_FROM } = this.#headsAhead ?? {};
    const to = this.#commits.newest;
    const isLong = to - from >= many && availableParallelism() > 1;
    if (program === undefined || !isLong) return this.#ahead;
    this.#headsAhead = undefined;
    const first = resourceVersion(from + Math.min(LEAD, many));
    try {
      this.#ahead = new HeadsAhead(program, {
        path: this.#path,
        pageSize: PAGE_SIZE,
        from: first,
        to,
      });
    } catch {
      // A process that may not have a thread reads by itself.
    }
    return this.#ahead;
  }

  oldest(): Promise<ResourceVersion> {
    return this.#closing === undefined
      ? Promise.resolve(this.#oldest)
      : Promise.reject(closedError());
  }

  cuts(): LogCuts {
    return this.#records.cuts;
  }

  /** @throws {RangeError} the newest record would go, and its version be given again. */
  async trim(step: TrimStep): Promise<void> {
    if (this.#closing !== undefined) throw closedError();
    if (step.cuts.settled >= this.#commits.newest) {
      throw new RangeError(`a cut at ${String(step.cuts.settled)} would leave no record`);
    }
    await this.#records.trim(step);
  }

  diskUsage(): DiskUsage {
    return this.#records.diskUsage();
  }

  /** Answers at once: no other process writes, so what this one wrote is all there is. */
  newest(): Promise<ResourceVersion> {
    return this.#closing === undefined
      ? Promise.resolve(this.#commits.newest)
      : Promise.reject(closedError());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#ahead?.close();
    await this.#endedAhead;
    await this.#commits.close();
    this.#readers.close();
    await this.#records.close();
  }

  /** The oldest version behind which nothing is missing. */
  get #oldest(): ResourceVersion {
    return resourceVersion(Math.max(this.#base, this.#records.cuts.settled) + 1);
  }

  #slice(from: ResourceVersion): readonly LoggedEvent[] {
    if (from > this.#commits.newest) return [];
    // What was appended lately may have been cut since.
    const recent = from < this.#oldest ? undefined : this.#recent.slice(from);
    return recent ?? this.#sliceFromDisk(from);
  }

  #sliceFromDisk(from: ResourceVersion): readonly LoggedEvent[] {
    const { newest } = this.#commits;
    const oldest = this.#oldest;
    const events: LoggedEvent[] = [];
    let bytes = 0;
    let expected: number = from;
    for (const { version, frame } of this.#records.framesFrom(from)) {
      if (version > expected && version > oldest) throw missing(resourceVersion(expected));
      // What is being written can be read already, and is not yet told to be durable.
      if (version > newest) break;
      events.push(decodeRecord(frame, version));
      bytes += frame.length;
      expected = version + 1;
      if (events.length === SLICE_EVENTS_MAX || bytes >= SLICE_BYTES_MAX) break;
    }
    return events;
  }
}

function missing(version: ResourceVersion): DamagedRecordError {
  return new DamagedRecordError(`the record at ${String(version)} is missing from the log`);
}
