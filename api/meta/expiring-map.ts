/** Remembers for a while what another server was asked for; of too much, what was used last. */
import { BoundedMap } from './bounded-map.ts';
import type { Clock } from './clock.ts';

interface Entry<Value> {
  readonly value: Value;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

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
    if (entry.expiresAt > this.#clock.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** @param ttlMs 0: it is not remembered. */
  set(key: Key, value: Value, ttlMs: number): void {
    if (ttlMs <= 0) return;
    this.#entries.set(key, { value, expiresAt: this.#clock.now() + ttlMs });
  }
}
