import type { CommittedEvent } from '../../streams/event.ts';
import { sizeOf } from '../objects/stored-object.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

/** How much a reader wants at once. A single event may be larger. */
export interface Portion {
  /** At most so many. */
  readonly events: number;
  /** At most so many bytes of JSON. */
  readonly bytes: number;
}

const EVERYTHING: Portion = { events: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/**
 * The latest events of one resource, as many as a budget of bytes allows. What is older is
 * read from the log, so the budget decides about speed and never about what can be seen.
 */
export class EventWindow {
  readonly #bytesMax: number;
  #events: (CommittedEvent | undefined)[] = [];
  #first = 0;
  #sizeBytes = 0;
  #droppedUpTo: ResourceVersion;
  #beginnings = 1;

  /** @param since everything after this version is going to be pushed. */
  constructor(bytesMax: number, since: ResourceVersion = resourceVersion(0)) {
    this.#bytesMax = bytesMax;
    this.#droppedUpTo = since;
  }

  /** How often it began without events: when it was made, and each time it was skipped to a version. */
  get beginnings(): number {
    return this.#beginnings;
  }

  push(event: CommittedEvent): void {
    this.#events.push(event);
    this.#sizeBytes += sizeOf(event.object);
    while (this.#sizeBytes > this.#bytesMax && this.#first < this.#events.length - 1) this.#drop();
    // Half of the array is dropped slots: time to move up.
    if (this.#first > 1_024 && this.#first * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
  }

  /** There may have been events up to this version that were not pushed. */
  skipTo(version: ResourceVersion): void {
    this.#beginnings += 1;
    this.#events = [];
    this.#first = 0;
    this.#sizeBytes = 0;
    this.#droppedUpTo = version;
  }

  /** Whether every event after `version` is still here. */
  reachesBackTo(version: ResourceVersion): boolean {
    return version >= this.#droppedUpTo;
  }

  /** The events after `version`, oldest first: as many as the portion takes, but at least one. */
  after(version: ResourceVersion, portion: Portion = EVERYTHING): CommittedEvent[] {
    let low = this.#first;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.resourceVersion ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    const found: CommittedEvent[] = [];
    let sizeBytes = 0;
    for (
      let index = low;
      index < this.#events.length && found.length < portion.events;
      index += 1
    ) {
      const event = this.#events[index];
      if (event === undefined || sizeBytes >= portion.bytes) break;
      found.push(event);
      sizeBytes += sizeOf(event.object);
    }
    return found;
  }

  #drop(): void {
    const event = this.#events[this.#first];
    if (event === undefined) return;
    this.#droppedUpTo = event.resourceVersion;
    this.#sizeBytes -= sizeOf(event.object);
    // The slot stays until the array moves up, but not what it held.
    this.#events[this.#first] = undefined;
    this.#first += 1;
  }
}
