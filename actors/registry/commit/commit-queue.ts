/** Changes that are proposed and not appended yet, in their order, and how many bytes they are. */
import type { ProposedEvent } from '../../../streams/event.ts';
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX } from '../../../streams/event-log.ts';

/** Requests beyond this limit get 429; without it the queue grows without bound. */
const QUEUE_BYTES_MAX = 64 * 1024 * 1024;
/** What a record in the log adds to the bytes of its object. */
const RECORD_OVERHEAD_BYTES = 1_024;

interface Queued {
  readonly event: ProposedEvent;
  /** Whether it has to be appended together with the one in front of it. */
  readonly isCompanion: boolean;
}

export class CommitQueue<Item extends Queued> {
  #items: Item[] = [];
  #sizeBytes = 0;

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  /** The item that was added last. */
  get last(): Item | undefined {
    return this.#items.at(-1);
  }

  hasSpaceFor(json: Uint8Array): boolean {
    return this.#sizeBytes + json.length + RECORD_OVERHEAD_BYTES <= QUEUE_BYTES_MAX;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#sizeBytes += sizeOf(item);
  }

  /** As many from the front as one append may have, and at least one. */
  takeBatch(): Item[] {
    let [count, sizeBytes] = [0, 0];
    let [whole, wholeBytes] = [0, 0];
    for (const item of this.#items) {
      if (!item.isCompanion) [whole, wholeBytes] = [count, sizeBytes];
      const size = sizeOf(item);
      if (count === APPEND_EVENTS_MAX || (whole > 0 && sizeBytes + size > APPEND_BYTES_MAX)) {
        return this.#take(whole, wholeBytes);
      }
      sizeBytes += size;
      count += 1;
    }
    return this.#take(count, sizeBytes);
  }

  #take(count: number, sizeBytes: number): Item[] {
    this.#sizeBytes -= sizeBytes;
    return count === this.#items.length ? this.takeAll() : this.#items.splice(0, count);
  }

  takeAll(): Item[] {
    this.#sizeBytes = 0;
    const all = this.#items;
    this.#items = [];
    return all;
  }
}

function sizeOf({ event }: Queued): number {
  return event.json.length + RECORD_OVERHEAD_BYTES;
}
