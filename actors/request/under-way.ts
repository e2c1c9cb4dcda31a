/**
 * What is under way at the moment, in no order: added, taken out again soon, looked through now and
 * then.
 *
 * The surprise is that it is no Set. A Set whose contents come and go gets a new table again and
 * again, and V8's old tables point to the newer ones. Once one of them is in the old generation,
 * whatever was in the tables behind it stays until the next full collection, and is copied there:
 * with a Set of requests that took a tenth of a server's time. Places that are used again point to
 * nothing that is over.
 */
import { serviceUnavailable } from '../../api/meta/status.ts';
import { statusAnswer } from './answer.ts';
import type { ReceivedRequest } from './request.ts';

export class UnderWay<Item extends object> implements Iterable<Item> {
  readonly #items: (Item | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** @returns its place, by which it is taken out again. */
  add(item: Item): number {
    const place = this.#free.pop() ?? this.#items.length;
    this.#items[place] = item;
    return place;
  }

  /** Nothing happens where something else is there by now. */
  remove(place: number, item: Item): void {
    if (this.#items[place] !== item) return;
    this.#items[place] = undefined;
    this.#free.push(place);
  }

  /** What is added meanwhile may be met or not. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}

/** So many places there are at first; a power of two, as always. */
const PLACES_MIN = 16;

/**
 * The same of what has a number, by which it is asked for: as much of a Map as is needed. A number
 * has its place by its last bits, or the next one that is free. An object with numbers for keys would
 * be shorter, but each key that is added to one or taken out is a call into the engine, 0.5 to 1 µs.
 */
export class NumberedUnderWay<Item extends object> {
  #numbers: number[] = Array.from({ length: PLACES_MIN }, () => 0);
  #items: (Item | undefined)[] = Array.from({ length: PLACES_MIN }, () => undefined);
  size = 0;

  get(number: number): Item | undefined {
    return this.#items[this.#placeOf(number)];
  }

  has(number: number): boolean {
    return this.get(number) !== undefined;
  }

  set(number: number, item: Item): this {
    // Half of the places stay free, so there is always a free one near.
    if (2 * (this.size + 1) > this.#items.length) this.#grow();
    const place = this.#placeOf(number);
    if (this.#items[place] === undefined) this.size += 1;
    this.#numbers[place] = number;
    this.#items[place] = item;
    return this;
  }

  /** @returns whether it was there. */
  delete(number: number): boolean {
    let free = this.#placeOf(number);
    if (this.#items[free] === undefined) return false;
    const mask = this.#items.length - 1;
    // What stands behind it and would not be found beyond a free place moves up.
    for (let place = (free + 1) & mask; ; place = (place + 1) & mask) {
      const item = this.#items[place];
      if (item === undefined) break;
      const own = this.#numbers[place] ?? 0;
      if (((place - own) & mask) < ((place - free) & mask)) continue;
      this.#numbers[free] = own;
      this.#items[free] = item;
      free = place;
    }
    this.#items[free] = undefined;
    this.size -= 1;
    return true;
  }

  /** In the order of the numbers. What is taken out meanwhile is not met. */
  forEach(callback: (item: Item, number: number) => void): void {
    const numbers = this.#numbers.filter((_number, place) => this.#items[place] !== undefined);
    for (const number of numbers.sort((one, other) => one - other)) {
      const item = this.get(number);
      if (item !== undefined) callback(item, number);
    }
  }

  /** Where it is, or a free place where it would be. */
  #placeOf(number: number): number {
    const mask = this.#items.length - 1;
    let place = number & mask;
    while (this.#items[place] !== undefined && this.#numbers[place] !== number) {
      place = (place + 1) & mask;
    }
    return place;
  }

  #grow(): void {
    const [numbers, items] = [this.#numbers, this.#items];
    const length = 2 * items.length;
    this.#numbers = Array.from({ length }, () => 0);
    this.#items = Array.from({ length }, () => undefined);
    for (const [at, item] of items.entries()) {
      if (item === undefined) continue;
      const place = this.#placeOf(numbers[at] ?? 0);
      this.#numbers[place] = numbers[at] ?? 0;
      this.#items[place] = item;
    }
  }
}

/**
 * Counts the requests that a shutdown has to wait for, and lets no more in once it waits.
 *
 * In Kubernetes: SafeWaitGroup, apimachinery/pkg/util/waitgroup.
 */
export interface WaitGroup {
  /** How many requests are in. */
  readonly size: number;
  /** false once the group is closed; then the request does not count. */
  enter(): boolean;
  /** Has to be called once for each request that was let in. */
  leave(): void;
  /** From now on no request enters. Those inside go on. */
  close(): void;
  /** Settles when no request is inside; at once when none is. */
  whenEmpty(): Promise<void>;
}

/**
 * Answers 503 to a request that comes too late. A client that comes again soon may well meet another
 * server, so it is told to.
 *
 * In Kubernetes: WithWaitGroup, apiserver/pkg/server/filters.
 */
export function refuseForShutdown(request: ReceivedRequest): void {
  request.responseHeaders['Retry-After'] = '1';
  request.reply(statusAnswer(serviceUnavailable('apiserver is shutting down')));
}

/** An open group without requests. */
export function waitGroup(): WaitGroup {
  return new RequestWaitGroup();
}

class RequestWaitGroup implements WaitGroup {
  size = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  enter(): boolean {
    if (this.#closed) return false;
    this.size += 1;
    return true;
  }

  leave(): void {
    this.size -= 1;
    if (this.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  close(): void {
    this.#closed = true;
  }

  whenEmpty(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
