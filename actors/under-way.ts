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

/** The same of what has a number, by which it is asked for: as much of a Map as is needed. */
export class NumberedUnderWay<Item extends object> {
  readonly #items: Record<number, Item | undefined> = {};
  size = 0;

  get(number: number): Item | undefined {
    return this.#items[number];
  }

  has(number: number): boolean {
    return this.#items[number] !== undefined;
  }

  set(number: number, item: Item): this {
    if (this.#items[number] === undefined) this.size += 1;
    this.#items[number] = item;
    return this;
  }

  /** @returns whether it was there. */
  delete(number: number): boolean {
    if (this.#items[number] === undefined) return false;
    this.size -= 1;
    return Reflect.deleteProperty(this.#items, number);
  }

  /** What is taken out meanwhile is not met. */
  forEach(callback: (item: Item, number: number) => void): void {
    for (const number of Object.keys(this.#items).map(Number)) {
      const item = this.#items[number];
      if (item !== undefined) callback(item, number);
    }
  }
}
