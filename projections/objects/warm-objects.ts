/**
 * Which objects of the present have their bytes in memory: those that were written or read lately. The bytes of all
 * others lie in the log, and are read from there when they are wanted, so that memory does not grow with what
 * nothing asks for.
 *
 * The surprise: an object that is replaced keeps what it has. Watchers may still be told of it, and its record may be
 * cut from the log meanwhile.
 *
 * @see docs/decisions/0093-cold-objects-lie-in-the-log.md
 */
import type { LoggedEvent, StoredObject } from '../../streams/event.ts';
import type { EventReader } from '../../streams/event-log.ts';
import { noteWritten } from './written-values.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { type Kept, RecentlyUsed } from './recently-used.ts';
import {
  coldObject,
  coolingObject,
  isCooling,
  renewed,
  type ObjectSource,
} from './stored-object.ts';

/** A quarter of a million objects of 2 KB. */
export const WARM_BYTES_MAX = 512 * 1024 * 1024;

type Named = Pick<StoredObject, 'resource' | 'path'>;

export class WarmObjects implements ObjectSource {
  readonly #log: Pick<EventReader, 'at' | 'jsonAt'>;
  readonly #warm: RecentlyUsed<Kept>;

  /** @param log has the record of each object for as long as the object is the present one. */
  constructor(log: Pick<EventReader, 'at' | 'jsonAt'>, bytesMax = WARM_BYTES_MAX) {
    this.#log = log;
    this.#warm = new RecentlyUsed(bytesMax);
  }

  /** About how much memory all of them may take. */
  get bytesMax(): number {
    return this.#warm.bytesMax;
  }

  /** How many have their bytes, and about how much memory that is. */
  get warm(): { readonly objects: number; readonly bytes: number } {
    return { objects: this.#warm.count, bytes: this.#warm.bytes };
  }

  /** For lists of many, which take no more than half. */
  get hasRoom(): boolean {
    return this.#warm.bytes < this.#warm.bytesMax / 2;
  }

  /** The object as this event leaves it. @param previous what it was before, which keeps the bytes it has. */
  written(event: LoggedEvent, previous: StoredObject | undefined): StoredObject {
    this.replaced(previous);
    const object = coolingObject(event, this, previous);
    noteWritten(event.json, object);
    return object;
  }

  /** An object of which nothing has to be read before it is asked for. */
  known(named: Named, version: ResourceVersion): StoredObject {
    return coldObject(named, version, this);
  }

  /** Whether an object that no reader has seen is the one of this version from now on, of which nothing is read. */
  renewed(object: StoredObject, version: ResourceVersion): boolean {
    return renewed(object, version, this);
  }

  /** The object is not the present one any more. */
  replaced(object: StoredObject | undefined): void {
    if (object !== undefined && isCooling(object)) this.#warm.forget(object);
  }

  recordAt(version: ResourceVersion): LoggedEvent {
    const event = this.#log.at(version);
    if (event === undefined) {
      throw new Error(`version ${String(version)} is not in the log any more`);
    }
    return event;
  }

  jsonAt(version: ResourceVersion): Uint8Array | undefined {
    return this.#log.jsonAt?.(version);
  }

  warmed(object: Kept): void {
    this.#warm.keep(object);
  }
}
