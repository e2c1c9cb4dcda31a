/**
 * Which object had a version last, while a long log is folded: an event names the version that it replaces, and to find its
 * object by that costs less than by its path, among a million others.
 */
import type { StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

/** Of more versions the later ones are not known: 128 MiB. */
const VERSIONS_MAX = 32 * 1024 * 1024;

export class ObjectsByVersion {
  readonly #first: number;
  /** One more than where the object stands below; 0: none has the version. */
  readonly #places: Uint32Array;
  /** A place that is free holds the next one that is, so what waits to be used again costs nothing more. */
  readonly #objects: (StoredObject | number)[] = [];
  /** One more than where the first of them is; 0: none is. */
  #free = 0;

  /** @param first of the versions that objects are going to get. @param last of them. */
  constructor(first: ResourceVersion, last: ResourceVersion) {
    this.#first = first;
    this.#places = new Uint32Array(Math.min(VERSIONS_MAX, Math.max(0, last - first + 1)));
  }

  /** How many objects there is room for: as many as there ever were at once. */
  get places(): number {
    return this.#objects.length;
  }

  /** The present object of this version; undefined: there is none, or it is not known. */
  at(version: ResourceVersion): StoredObject | undefined {
    const place = this.#places[version - this.#first] ?? 0;
    const found = place === 0 ? undefined : this.#objects[place - 1];
    return typeof found === 'number' ? undefined : found;
  }

  /** The object is the present one, and has this version. */
  put(version: ResourceVersion, object: StoredObject): void {
    const at = version - this.#first;
    if (at >= 0 && at < this.#places.length) this.#places[at] = this.#place(object);
  }

  /** The object of one version has the next one now. */
  move(from: ResourceVersion, to: ResourceVersion, object: StoredObject): void {
    const place = this.#places[from - this.#first] ?? 0;
    if (place === 0) {
      this.put(to, object);
      return;
    }
    this.#places[from - this.#first] = 0;
    const at = to - this.#first;
    if (at < this.#places.length) this.#places[at] = place;
    else this.#release(place);
  }

  /** No object has this version any more. */
  remove(version: ResourceVersion): void {
    const at = version - this.#first;
    const place = this.#places[at] ?? 0;
    if (place === 0) return;
    this.#places[at] = 0;
    this.#release(place);
  }

  #place(object: StoredObject): number {
    const place = this.#free;
    if (place === 0) return this.#objects.push(object);
    const next = this.#objects[place - 1];
    this.#free = typeof next === 'number' ? next : 0;
    this.#objects[place - 1] = object;
    return place;
  }

  #release(place: number): void {
    this.#objects[place - 1] = this.#free;
    this.#free = place;
  }
}
