/**
 * Which objects of the present have their bytes in memory: those that were written or read lately. The bytes of all
 * others lie in the log, and are read from there when they are wanted, so that memory does not grow with what
 * nothing asks for.
 *
 * It goes round, as a clock does, and lets go of what was not read since it came by last. The surprise: an object that
 * is replaced keeps what it has. Watchers may still be told of it, and its record may be cut from the log meanwhile.
 *
 * @see docs/decisions/0093-cold-objects-lie-in-the-log.md
 */
import type { LoggedEvent, StoredObject } from '../../streams/event.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import {
  coldObject,
  coolingObject,
  isCooling,
  type CoolingObject,
  type ObjectSource,
} from './stored-object.ts';

/** What a copy of the bytes costs beside them: the objects of the engine that hold it, and labels. */
const HELD_BYTES = 512;
/** So many that were used are passed by for one that has to go: then the next one goes all the same. */
const PASSED_MAX = 64;
const TIDIED_PLACES = 1_024;
/** A quarter of a million objects of 2 KB. */
export const WARM_BYTES_MAX = 512 * 1024 * 1024;

type Named = Pick<StoredObject, 'resource' | 'path'>;

export class WarmObjects implements ObjectSource {
  readonly bytesMax: number;
  readonly #log: Pick<EventReader, 'at'>;
  /** In the order in which they are looked at, with places of what was looked at before `#first`. */
  #queue: (CoolingObject | undefined)[] = [];
  #first = 0;
  /** How many in it are not warm any more. */
  #left = 0;
  #bytes = 0;

  /** @param log has the record of each object for as long as the object is the present one. */
  constructor(log: Pick<EventReader, 'at'>, bytesMax = WARM_BYTES_MAX) {
    this.#log = log;
    this.bytesMax = bytesMax;
  }

  /** How many have their bytes, and about how much memory that is. */
  get warm(): { readonly objects: number; readonly bytes: number } {
    return { objects: this.#queue.length - this.#first - this.#left, bytes: this.#bytes };
  }

  /** For lists of many, which take no more than half. */
  get hasRoom(): boolean {
    return this.#bytes < this.bytesMax / 2;
  }

  /** The object as this event leaves it. @param previous what it was before, which keeps the bytes it has. */
  written(event: LoggedEvent, previous: StoredObject | undefined): StoredObject {
    this.replaced(previous);
    return coolingObject(event, this, previous);
  }

  /** An object of which nothing has to be read before it is asked for. */
  known(named: Named, version: ResourceVersion): StoredObject {
    return coldObject(named, version, this);
  }

  /** The object is not the present one any more. */
  replaced(object: StoredObject | undefined): void {
    if (object === undefined || !isCooling(object) || !object.isWarm) return;
    object.isWarm = false;
    this.#bytes -= costOf(object);
    this.#left += 1;
    this.#tidy();
  }

  recordAt(version: ResourceVersion): LoggedEvent {
    const event = this.#log.at(version);
    if (event === undefined) {
      throw new Error(`version ${String(version)} is not in the log any more`);
    }
    return event;
  }

  warmed(object: CoolingObject): void {
    object.isWarm = true;
    this.#queue.push(object);
    this.#bytes += costOf(object);
    let passed = 0;
    while (this.#bytes > this.bytesMax) {
      const next = this.#takeNext();
      if (next === undefined) return;
      if (!next.isWarm) continue;
      const isPassed = passed < PASSED_MAX && next.wasUsed();
      // This one is being read.
      if (next === object || isPassed) this.#queue.push(next);
      else this.#cool(next);
      if (next === object && this.#queue.length === this.#first + 1) return;
      passed += 1;
    }
  }

  #cool(object: CoolingObject): void {
    object.isWarm = false;
    this.#bytes -= costOf(object);
    object.cool();
  }

  #takeNext(): CoolingObject | undefined {
    const next = this.#queue[this.#first];
    if (next === undefined) return undefined;
    this.#queue[this.#first] = undefined;
    this.#first += 1;
    if (!next.isWarm) this.#left -= 1;
    this.#tidy();
    return next;
  }

  /** Half of the queue are places of what is gone: time to move up. */
  #tidy(): void {
    const gone = this.#first + this.#left;
    if (gone < TIDIED_PLACES || gone * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#first).filter((one) => one?.isWarm === true);
    this.#first = 0;
    this.#left = 0;
  }
}

function costOf({ sizeBytes }: CoolingObject): number {
  return sizeBytes + HELD_BYTES;
}
