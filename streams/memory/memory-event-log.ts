/**
 * The log in memory: for tests and for a control plane that may be forgotten. It keeps the
 * encoded records, so that what it gives back went through the same bytes as in other engines,
 * and hands a waiting reader the very objects that were appended, as they do.
 */
import { checkAppendSize } from '../append-limits.ts';
import { decodeRecord, encodeRecords, loggedAt } from '../event-codec.ts';
import type { EventLog } from '../event-log.ts';
import type { LoggedEvent, ProposedEvent } from '../event.ts';
import { NO_CUTS, type LogCuts } from '../log-cuts.ts';
import { closedError, LogReaders } from '../log-readers.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

const SLICE_EVENTS_MAX = 256;

export class MemoryEventLog implements EventLog {
  /** The record at version n is at n - 1 - base. */
  readonly #frames: Buffer[] = [];
  readonly #base: ResourceVersion;
  readonly #readers: LogReaders;
  #isClosed = false;

  /** @param base the log goes on behind this version. */
  constructor(base = resourceVersion(0)) {
    this.#base = base;
    this.#readers = new LogReaders({
      beginning: resourceVersion(base + 1),
      oldest: resourceVersion(base + 1),
      slice: (from) => this.#slice(from),
    });
  }

  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    return new Promise((resolve) => {
      if (this.#isClosed) throw closedError();
      const frames = encodeRecords(events);
      checkAppendSize({ events: events.length, bytes: sizeOf(frames) });

      const first = this.#base + this.#frames.length + 1;
      for (const frame of frames) this.#frames.push(frame);
      this.#readers.publish(
        events.map((event, index) => loggedAt(event, resourceVersion(first + index))),
      );
      resolve(resourceVersion(first));
    });
  }

  read(from: ResourceVersion, signal: AbortSignal): AsyncIterable<readonly LoggedEvent[]> {
    return this.#readers.read(from, signal);
  }

  at(version: ResourceVersion): LoggedEvent | undefined {
    if (this.#isClosed) throw closedError();
    const frame = this.#frames[version - 1 - this.#base];
    return frame === undefined ? undefined : decodeRecord(frame, version);
  }

  oldest(): Promise<ResourceVersion> {
    return this.#isClosed
      ? Promise.reject(closedError())
      : Promise.resolve(resourceVersion(this.#base + 1));
  }

  /** It is whole: a log that is not going to last is not cut. */
  cuts(): LogCuts {
    return NO_CUTS;
  }

  newest(): Promise<ResourceVersion> {
    if (this.#isClosed) return Promise.reject(closedError());
    return Promise.resolve(resourceVersion(this.#base + this.#frames.length));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#readers.close();
    return Promise.resolve();
  }

  #slice(from: ResourceVersion): LoggedEvent[] {
    return this.#frames
      .slice(from - 1 - this.#base, from - 1 - this.#base + SLICE_EVENTS_MAX)
      .map((frame, index) => decodeRecord(frame, resourceVersion(from + index)));
  }
}

function sizeOf(frames: readonly Buffer[]): number {
  let size = 0;
  for (const frame of frames) size += frame.length;
  return size;
}
