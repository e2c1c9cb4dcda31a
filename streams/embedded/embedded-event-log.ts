/**
 * The log on this machine's disk, for one process. A version is the place in the log,
 * counted from 1, and an append is answered when it would outlive a power cut.
 *
 * In Kubernetes: etcd, of which each kube-apiserver is a client.
 */
import { DamagedRecordError, decodeRecord } from '../event-codec.ts';
import type { EventLog } from '../event-log.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import { closedError, LogReaders } from '../log-readers.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import { GroupCommit } from './group-commit.ts';
import { LmdbRecords } from './lmdb-records.ts';
import { RecentEvents } from './recent-events.ts';

const SLICE_EVENTS_MAX = 256;
const SLICE_BYTES_MAX = 1024 * 1024;

export class EmbeddedEventLog implements EventLog {
  readonly #records: LmdbRecords;
  readonly #commits: GroupCommit;
  readonly #readers: LogReaders;
  readonly #recent = new RecentEvents();
  readonly #oldest: ResourceVersion;
  #closing: Promise<void> | undefined;

  /**
   * @param path the log's own directory, which only this process uses: `logPath` of a
   *   data directory that was opened. Made when it is not there.
   */
  constructor(path: string) {
    this.#records = new LmdbRecords(path);
    this.#oldest = this.#records.oldest();
    this.#readers = new LogReaders({ oldest: this.#oldest, slice: (from) => this.#slice(from) });
    this.#commits = new GroupCommit(this.#records, this.#records.newest(), (events) => {
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
    if (version > this.#commits.newest || version < this.#oldest) return undefined;
    return decodeRecord(this.#frame(version), version);
  }

  oldest(): Promise<ResourceVersion> {
    return this.#closing === undefined
      ? Promise.resolve(this.#oldest)
      : Promise.reject(closedError());
  }

  /** Answers at once: nobody else writes, so what this process wrote is all there is. */
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

  #frame(version: ResourceVersion): Buffer {
    const frame = this.#records.frame(version);
    if (frame !== undefined) return frame;
    throw new DamagedRecordError(`the record at ${String(version)} is missing from the log`);
  }

  #slice(from: ResourceVersion): readonly LoggedEvent[] {
    if (from > this.#commits.newest) return [];
    const recent = this.#recent.slice(from);
    if (recent !== undefined) return recent;

    const last = Math.min(this.#commits.newest, from + SLICE_EVENTS_MAX - 1);
    const events: LoggedEvent[] = [];
    let bytes = 0;
    for (let position: number = from; position <= last && bytes < SLICE_BYTES_MAX; position += 1) {
      const version = resourceVersion(position);
      const frame = this.#frame(version);
      events.push(decodeRecord(frame, version));
      bytes += frame.length;
    }
    return events;
  }
}
