/** Tells once when the last object of a storage is gone. */
import type { EventType } from '../../streams/event.ts';

export class EmptyStorages {
  readonly #sizeOf: (storage: string) => number;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(sizeOf: (storage: string) => number) {
    this.#sizeOf = sizeOf;
  }

  /** An object of that storage has changed, and the views show it. */
  heard(type: EventType, storage: string): void {
    if (type !== 'deleted' || this.#waiting.size === 0) return;
    const waiting = this.#waiting.get(storage);
    if (waiting === undefined || this.#sizeOf(storage) > 0) return;
    this.#waiting.delete(storage);
    for (const callback of waiting) callback();
  }

  /** Gives what takes it back. A storage that is empty already is not told of. */
  whenEmpty(storage: string, callback: () => void): () => void {
    const waiting = this.#waiting.get(storage) ?? new Set();
    this.#waiting.set(storage, waiting.add(callback));
    return () => {
      waiting.delete(callback);
      if (waiting.size === 0) this.#waiting.delete(storage);
    };
  }
}
