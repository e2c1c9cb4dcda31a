/**
 * The newest records of the topic as they were read: what is not on disk yet, and behind it some
 * more, for readers that are only a little behind.
 */
import { decodeRecord, encodeRecords } from '../../event-codec.ts';
import type { LoggedEvent } from '../../event.ts';
import { resourceVersion, type ResourceVersion } from '../../resource-version.ts';

/** How much is kept of what is on disk already. */
export const KEPT_EVENTS = 8_192;
export const KEPT_BYTES = 8 * 1024 * 1024;

/** What a record takes in memory beside its value. */
const EVENT_OVERHEAD_BYTES = 512;
/** And beside its frame. */
const FRAME_OVERHEAD_BYTES = 128;

/** Records that were read together: as events or as frames, or as both once they were asked for. */
export class MemoryBatch {
  readonly first: ResourceVersion;
  readonly count: number;
  readonly bytes: number;
  readonly frames: readonly Buffer[] | undefined;
  #events: readonly LoggedEvent[] | undefined;

  private constructor(
    first: ResourceVersion,
    of: { readonly events?: readonly LoggedEvent[]; readonly frames?: readonly Buffer[] },
  ) {
    this.first = first;
    this.#events = of.events;
    this.frames = of.frames;
    let bytes = 0;
    for (const { json } of of.events ?? []) bytes += json.length + EVENT_OVERHEAD_BYTES;
    for (const frame of of.frames ?? []) bytes += frame.length + FRAME_OVERHEAD_BYTES;
    this.bytes = bytes;
    this.count = (of.events ?? of.frames ?? []).length;
  }

  /** @param events at least one. */
  static ofEvents(events: readonly LoggedEvent[]): MemoryBatch {
    return new MemoryBatch(events[0]?.resourceVersion ?? resourceVersion(0), { events });
  }

  /** @param first the version of the first of them. */
  static ofFrames(first: ResourceVersion, frames: readonly Buffer[]): MemoryBatch {
    return new MemoryBatch(first, { frames });
  }

  /** All of them, decoded where they are asked for the first time. */
  get events(): readonly LoggedEvent[] {
    this.#events ??= (this.frames ?? []).map((frame, index) => this.#decoded(frame, index));
    return this.#events;
  }

  /** One of them, of which no other is decoded. */
  eventAt(index: number): LoggedEvent | undefined {
    if (this.#events !== undefined) return this.#events[index];
    const frame = this.frames?.[index];
    return frame && this.#decoded(frame, index);
  }

  /** One of them, as it is at hand. */
  recordAt(index: number): LoggedEvent | Buffer | undefined {
    return this.frames?.[index] ?? this.#events?.[index];
  }

  /** As they lie on disk. */
  encoded(): readonly Buffer[] {
    return this.frames ?? encodeRecords(this.events);
  }

  #decoded(frame: Buffer, index: number): LoggedEvent {
    return decodeRecord(frame, resourceVersion(this.first + index));
  }
}

export class RecordsInMemory {
  /** In order, without gaps. */
  readonly #batches: MemoryBatch[] = [];
  /** How many of the first batches are on disk. */
  #writtenCount = 0;
  #events = 0;
  #bytes = 0;
  #unwrittenBytes = 0;
  /** In which the last record was: the next one mostly is, too. */
  #found: MemoryBatch | undefined;

  get unwrittenBytes(): number {
    return this.#unwrittenBytes;
  }

  /** `Infinity` when there are none. */
  get oldest(): number {
    return firstOf(this.#batches[0]);
  }

  /** Takes the records that follow the last ones without a gap. */
  push(batch: MemoryBatch): void {
    this.#batches.push(batch);
    this.#events += batch.count;
    this.#bytes += batch.bytes;
    this.#unwrittenBytes += batch.bytes;
  }

  at(version: ResourceVersion): LoggedEvent | undefined {
    const batch = this.#batches[this.#indexOf(version)];
    return batch?.eventAt(version - batch.first);
  }

  /** The same as it is at hand: an event, or its frame. */
  recordAt(version: ResourceVersion): LoggedEvent | Buffer | undefined {
    const place = version - (this.#found?.first ?? Infinity);
    if (place >= 0 && place < (this.#found?.count ?? 0)) return this.#found?.recordAt(place);
    this.#found = this.#batches[this.#indexOf(version)];
    return this.#found?.recordAt(version - this.#found.first);
  }

  /** The records from `from` on, of one batch; none when `from` is not here. */
  slice(from: ResourceVersion): readonly LoggedEvent[] {
    const batch = this.#batches[this.#indexOf(from)];
    if (batch === undefined) return [];
    const start = from - batch.first;
    return start === 0 ? batch.events : batch.events.slice(start);
  }

  /** The next batches for the disk: at least one, if there is any. */
  unwritten(bounds: { readonly eventsMax: number; readonly bytesMax: number }): MemoryBatch[] {
    const taken: MemoryBatch[] = [];
    let [events, bytes] = [0, 0];
    for (let index = this.#writtenCount; index < this.#batches.length; index += 1) {
      const batch = this.#batches[index];
      if (batch === undefined) break;
      events += batch.count;
      bytes += batch.bytes;
      if (taken.length > 0 && (events > bounds.eventsMax || bytes > bounds.bytesMax)) break;
      taken.push(batch);
    }
    return taken;
  }

  /** These, which were the next for the disk, are there now. */
  written(batches: readonly MemoryBatch[]): void {
    this.#writtenCount += batches.length;
    for (const { bytes } of batches) this.#unwrittenBytes -= bytes;
    let [events, size, surplus] = [this.#events, this.#bytes, 0];
    while (surplus < this.#writtenCount && (events > KEPT_EVENTS || size > KEPT_BYTES)) {
      events -= this.#batches[surplus]?.count ?? 0;
      size -= this.#batches[surplus]?.bytes ?? 0;
      surplus += 1;
    }
    this.#drop(surplus);
  }

  /** All up to `version` are on disk, and need not be here as well. */
  forgetTo(version: ResourceVersion): void {
    let count = 0;
    while (count < this.#writtenCount && firstOf(this.#batches[count]) <= version) count += 1;
    this.#drop(count);
  }

  #drop(count: number): void {
    this.#found = undefined;
    for (const { count: events, bytes } of this.#batches.splice(0, count)) {
      this.#events -= events;
      this.#bytes -= bytes;
    }
    this.#writtenCount -= count;
  }

  /** The batch that holds this version; -1 when none does. */
  #indexOf(version: ResourceVersion): number {
    let low = 0;
    let high = this.#batches.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (firstOf(this.#batches[middle]) <= version) low = middle;
      else high = middle - 1;
    }
    const batch = this.#batches[low];
    if (batch === undefined) return -1;
    const place = version - firstOf(batch);
    return place >= 0 && place < batch.count ? low : -1;
  }
}

function firstOf(batch: MemoryBatch | undefined): number {
  return batch?.first ?? Infinity;
}
