/**
 * The log on this machine's disk, for one process. A version is the place in the log,
 * counted from 1, and an append is answered when it would outlive a power cut.
 *
 * In Kubernetes: etcd, of which each kube-apiserver is a client.
 */
import { DamagedRecordError, decodeRecord, valueOfRecord } from '../event-codec.ts';
import type { EventHeads, EventLog } from '../event-log.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import type { LogCuts } from '../log-cuts.ts';
import { closedError, LogReaders } from '../log-readers.ts';
import { HeadReader, type PathGuess } from '../record-heads.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import type { TrimmableLog, TrimStep } from '../trimmable-log.ts';
import { GroupCommit } from './group-commit.ts';
import { LmdbRecords } from './lmdb-records.ts';
import type { DiskUsage } from '../lmdb-usage.ts';
import { RecentEvents } from './recent-events.ts';

const SLICE_EVENTS_MAX = 256;
const SLICE_BYTES_MAX = 1024 * 1024;

export interface EmbeddedLogOptions {
  /** The log goes on behind this version, of which and of all before it it knows nothing. */
  readonly base?: ResourceVersion;
  /** How many bytes of the file stay mapped into memory, more or less. */
  readonly mappedBytesMax?: number;
  /** Whether an append outlives a power cut; it does unless this is false, and outlives the process anyway. */
  readonly isSynced?: boolean;
}

export class EmbeddedEventLog implements EventLog, TrimmableLog {
  readonly #records: LmdbRecords;
  readonly #commits: GroupCommit;
  readonly #readers: LogReaders;
  readonly #recent = new RecentEvents();
  readonly #base: ResourceVersion;
  #closing: Promise<void> | undefined;

  /**
   * @param path the log's own directory, which only this process uses: `logPath` of a
   *   data directory that was opened. Made when it is not there.
   * @throws {RangeError} there are records up to `base`.
   */
  constructor(path: string, options: EmbeddedLogOptions = {}) {
    const { base = resourceVersion(0), mappedBytesMax, isSynced = true } = options;
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
    let version = from;
    return {
      next: () => {
        if (this.#closing !== undefined || version > this.#commits.newest) return undefined;
        const frame = version < this.#oldest ? undefined : this.#records.sharedFrame(version);
        const head = frame && reader.read(frame, version);
        version = resourceVersion(version + 1);
        return head;
      },
    };
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
