/**
 * Maps that no client can fill the memory with. A BoundedMap forgets what was asked for longest
 * ago: both the number of entries and their bytes are bounded, since a thousand headers are little,
 * and a thousand headers of 48 KB are not. An entry that would take much of the space alone is not
 * kept. An ExpiringMap forgets after a while too, as suits answers of another server.
 */
import type { Clock } from './clock.ts';

interface BoundedMapOptions<Key, Value> {
  /** Told what is not kept any more because something newer is. */
  readonly forgotten?: (value: Value) => void;
  /** Of all entries together; by default 16 MiB. */
  readonly bytesMax?: number;
  /** Always the same for one entry; by default what a key that is text takes. */
  readonly bytesOf?: (key: Key, value: Value) => number;
}

const BYTES_MAX = 1 << 24;
/** What an entry takes beside its key, about. */
const ENTRY_BYTES = 100;
/** One entry gets this part of the space at most. */
const SHARE = 16;

export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #sizeMax: number;
  readonly #options: Required<BoundedMapOptions<Key, Value>>;
  #bytes = 0;

  constructor(sizeMax: number, options: BoundedMapOptions<Key, Value> = {}) {
    const defaults = { forgotten: () => undefined, bytesMax: BYTES_MAX, bytesOf: bytesOfKey };
    this.#sizeMax = sizeMax;
    this.#options = { ...defaults, ...options };
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Of all entries. */
  get bytes(): number {
    return this.#bytes;
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

  /** The same, without making it the newest: for what is asked for very often. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    const { bytesMax, bytesOf, forgotten } = this.#options;
    this.delete(key);
    const bytes = bytesOf(key, value);
    if (bytes > bytesMax / SHARE) {
      forgotten(value);
      return;
    }
    this.#entries.set(key, value);
    this.#bytes += bytes;
    for (const [oldest, old] of this.#entries) {
      if (this.#entries.size <= this.#sizeMax && this.#bytes <= bytesMax) return;
      this.delete(oldest);
      forgotten(old);
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
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= this.#options.bytesOf(key, value);
  }
}

function bytesOfKey(key: unknown): number {
  return ENTRY_BYTES + (typeof key === 'string' ? 2 * key.length : 0);
}

interface Entry<Value> {
  readonly value: Value;
  /** Milliseconds since 1970. */
  readonly setAt: number;
  /** Of the same clock. */
  readonly expiresAt: number;
}

/**
 * Remembers for a while what another server was asked for; of too much, what was used last. A clock that is set back says no more
 * how old an entry is: what was set later than now is forgotten, and not kept until the clock has come there again.
 */
export class ExpiringMap<Key, Value> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries: BoundedMap<Key, Entry<Value>>;

  constructor(sizeMax: number, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#entries = new BoundedMap(sizeMax);
  }

  /** undefined: it is not known, or not any more. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = this.#clock.now();
    if (entry.setAt <= now && now < entry.expiresAt) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** @param ttlMs 0: it is not remembered. */
  set(key: Key, value: Value, ttlMs: number): void {
    if (ttlMs <= 0) return;
    const setAt = this.#clock.now();
    this.#entries.set(key, { value, setAt, expiresAt: setAt + ttlMs });
  }
}
