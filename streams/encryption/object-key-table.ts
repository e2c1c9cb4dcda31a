/** Keys in memory, found by their ids and by the objects they are of. */
import type { ObjectKeyEntry } from './object-key-store.ts';

export class ObjectKeyTable {
  readonly #entries = new Map<string, ObjectKeyEntry>();
  /** The ids of the keys of each object; mostly one. */
  readonly #byObject = new Map<string, readonly string[]>();
  #tell: (entry: ObjectKeyEntry) => void = () => undefined;

  /** Tells of every key that goes. */
  whenGone(tell: (entry: ObjectKeyEntry) => void): void {
    this.#tell = tell;
  }

  get(id: string): ObjectKeyEntry | undefined {
    return this.#entries.get(id);
  }

  /** The newest key of the object. */
  ofObject(uid: string): ObjectKeyEntry | undefined {
    const id = this.#byObject.get(uid)?.at(-1);
    return id === undefined ? undefined : this.#entries.get(id);
  }

  /** As they are now, whatever becomes of them while they are gone through. */
  all(): readonly ObjectKeyEntry[] {
    return [...this.#entries.values()];
  }

  set(entry: ObjectKeyEntry): void {
    const { id, uid } = entry;
    if (!this.#entries.has(id)) this.#byObject.set(uid, [...(this.#byObject.get(uid) ?? []), id]);
    this.#entries.set(id, entry);
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    const others = (this.#byObject.get(entry.uid) ?? []).filter((other) => other !== id);
    if (others.length > 0) this.#byObject.set(entry.uid, others);
    else this.#byObject.delete(entry.uid);
    this.#tell(entry);
  }
}
