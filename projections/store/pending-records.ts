/**
 * What was recorded and is not yet in the store's file. Calls of `record` are kept apart,
 * for each of them reaches the disk whole or not at all.
 */
import type { EventType } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { FoldProgress, RecordedEvent } from './object-history.ts';

/** The part of an event that the store keeps. The object's bytes are let go. */
export interface RecordedChange {
  readonly resource: string;
  readonly path: string;
  readonly version: ResourceVersion;
  readonly type: EventType;
}

export interface RecordedBatch {
  readonly changes: readonly RecordedChange[];
  readonly applied: ResourceVersion;
  readonly time: number;
  /** The writers whose sequence is another than after the batch before; undefined: forgotten. */
  readonly writers: ReadonlyMap<string, number | undefined>;
}

export class PendingRecords {
  readonly #batches: RecordedBatch[] = [];
  /** The table after the last batch. */
  readonly #writers: Map<string, number>;
  #changes = 0;

  constructor(writers: ReadonlyMap<string, number>) {
    this.#writers = new Map(writers);
  }

  /** How many changes wait. */
  get changes(): number {
    return this.#changes;
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  /** @returns what is kept of it. */
  add(events: readonly RecordedEvent[], progress: FoldProgress): RecordedBatch {
    const batch = {
      changes: events.map(changeOf),
      applied: progress.applied,
      time: progress.time,
      writers: this.#changedWriters(progress.writers),
    };
    this.#batches.push(batch);
    this.#changes += events.length;
    return batch;
  }

  /** The oldest batches: as many as hold `changesMax` changes together, but at least one. */
  take(changesMax: number): RecordedBatch[] {
    let changes = 0;
    const end = this.#batches.findIndex((batch) => (changes += batch.changes.length) > changesMax);
    const taken = this.#batches.splice(0, end < 0 ? this.#batches.length : Math.max(1, end));
    this.#changes -= countOf(taken);
    return taken;
  }

  /** Takes back, in front of all others, what could not be written. */
  putBack(batches: readonly RecordedBatch[]): void {
    this.#batches.unshift(...batches);
    this.#changes += countOf(batches);
  }

  #changedWriters(now: ReadonlyMap<string, number>): Map<string, number | undefined> {
    const changed = new Map<string, number | undefined>();
    for (const [writer, sequence] of now) {
      if (this.#writers.get(writer) === sequence) continue;
      this.#writers.set(writer, sequence);
      changed.set(writer, sequence);
    }
    if (this.#writers.size > now.size) {
      for (const writer of this.#writers.keys()) {
        if (now.has(writer)) continue;
        this.#writers.delete(writer);
        changed.set(writer, undefined);
      }
    }
    return changed;
  }
}

function changeOf(event: RecordedEvent): RecordedChange {
  return {
    resource: event.resource,
    path: event.path,
    version: event.resourceVersion,
    type: event.type,
  };
}

function countOf(batches: readonly RecordedBatch[]): number {
  return batches.reduce((sum, batch) => sum + batch.changes.length, 0);
}
