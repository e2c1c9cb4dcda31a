/**
 * What took effect in one log, as records for a fresh one: with the versions that the objects have
 * there, from a writer of its own.
 *
 * A place whose record changed nothing is kept by a marker. So a log that is played whole gives
 * every object the version that it had.
 */
import { nothingAt } from './empty-record.ts';
import type { EventType, LoggedEvent, ProposedEvent } from '../event.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

export class RecordRewriter {
  readonly #writer: string;
  readonly #versions = new Map<string, ResourceVersion>();
  #newest: ResourceVersion;

  /** @param newest the last version of the log that the records are for; 0 when it is empty. */
  constructor(writer: string, newest = resourceVersion(0)) {
    this.#writer = writer;
    this.#newest = newest;
  }

  /** The version that the next record is for. */
  get next(): ResourceVersion {
    return resourceVersion(this.#newest + 1);
  }

  /** The next record: this change, or a marker when it cannot change anything there. */
  change(event: LoggedEvent): ProposedEvent {
    const key = `${event.resource}\0${event.path}`;
    const previous = this.#versions.get(key);
    const type = typeFor(event, previous);
    if (type === undefined) return this.marker(event.time);
    const version = this.#step();
    if (type === 'deleted') this.#versions.delete(key);
    else this.#versions.set(key, version);
    return {
      ...event,
      writer: this.#writer,
      sequence: version,
      type,
      previousResourceVersion: previous ?? resourceVersion(0),
      // It did take effect, so what it required was so.
      requires: [],
    };
  }

  /** The next record: one that keeps a place. */
  marker(time: number): ProposedEvent {
    return nothingAt(this.#writer, this.#step(), time);
  }

  #step(): ResourceVersion {
    this.#newest = this.next;
    return this.#newest;
  }
}

/** undefined: there is nothing to change. */
function typeFor(
  { type }: LoggedEvent,
  previous: ResourceVersion | undefined,
): EventType | undefined {
  if (type === 'marker') return undefined;
  if (type === 'deleted') return previous === undefined ? undefined : 'deleted';
  return previous === undefined ? 'added' : 'modified';
}
