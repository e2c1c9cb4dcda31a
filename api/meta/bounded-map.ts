/** A Map that forgets what was asked for longest ago, so that nobody fills the memory with it. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #sizeMax: number;
  readonly #forgotten: (value: Value) => void;

  /** @param forgotten told what is not kept any more because something newer is. */
  constructor(sizeMax: number, forgotten: (value: Value) => void = () => undefined) {
    this.#sizeMax = sizeMax;
    this.#forgotten = forgotten;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#sizeMax) return;
    for (const [oldest, forgotten] of this.#entries) {
      this.#entries.delete(oldest);
      this.#forgotten(forgotten);
      return;
    }
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** What was asked for longest ago comes first. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
