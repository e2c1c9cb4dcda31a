/**
 * Objects of a resource of which what changed is noted, and read when it is next asked for.
 *
 * The surprise: it may be that it never is, as no node asks any more. So nothing is held of what came and went meanwhile.
 */
import type { ObjectIndex } from '../../../projections/followed-objects.ts';
import type { StoredObject } from '../../../streams/event.ts';

/** How an object is read, and what is made of that. */
export interface NotedParts<Entry> {
  /** @returns undefined: nothing of the object is entered. */
  readonly read: (object: StoredObject) => Entry | undefined;
  /** @param by 1: the entry counts from now on; -1: no more. */
  readonly enter: (entry: Entry, by: 1 | -1) => void;
}

/** Notes what changes, and enters it when that is wanted. */
export class NotedObjects<Entry> implements ObjectIndex {
  readonly #parts: NotedParts<Entry>;
  readonly #entered = new Map<string, Entry>();
  /** undefined: the object is gone. */
  readonly #changed = new Map<string, StoredObject | undefined>();

  constructor(parts: NotedParts<Entry>) {
    this.#parts = parts;
  }

  /** How many changes are noted: never more than there are objects, and than were entered. */
  get noted(): number {
    return this.#changed.size;
  }

  set(object: StoredObject): void {
    this.#changed.set(object.path, object);
  }

  delete(path: string): void {
    if (this.#entered.has(path)) this.#changed.set(path, undefined);
    else this.#changed.delete(path);
  }

  clear(): void {
    this.#changed.clear();
    for (const path of this.#entered.keys()) this.#changed.set(path, undefined);
  }

  /** Reads what changed, and enters it. */
  settle(): void {
    if (this.#changed.size === 0) return;
    const { read, enter } = this.#parts;
    for (const [path, object] of this.#changed) {
      const before = this.#entered.get(path);
      if (before !== undefined) enter(before, -1);
      const entry = object === undefined ? undefined : read(object);
      if (entry === undefined) {
        this.#entered.delete(path);
      } else {
        enter(entry, 1);
        this.#entered.set(path, entry);
      }
    }
    this.#changed.clear();
  }
}
