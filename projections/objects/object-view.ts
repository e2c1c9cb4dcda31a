/**
 * The objects of every resource as they are now: the fold of the log that get, list and the
 * next write read.
 */
import type { CommittedEvent, StoredObject } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { Projection } from '../projection.ts';
import { SortedObjects } from './sorted-objects.ts';

const NEVER = resourceVersion(0);
// Behind '/', so `ns` + this is behind every path of the namespace.
const AFTER_SLASH = '0';
const AFTER_ALL = '\uffff';

/** The objects of one resource. */
export class ResourceObjects {
  readonly #byPath = new Map<string, StoredObject>();
  readonly #sorted = new SortedObjects();
  #changedAt: ResourceVersion;

  /** @param changedAt what happened up to here is not known: there may have been deletions. */
  constructor(changedAt: ResourceVersion = NEVER) {
    this.#changedAt = changedAt;
  }

  /** Nothing of this resource has changed after this version. */
  get changedAt(): ResourceVersion {
    return this.#changedAt;
  }

  get size(): number {
    return this.#sorted.size;
  }

  get(path: string): StoredObject | undefined {
    return this.#byPath.get(path);
  }

  /** By path in order: of one namespace, or of all when it is ''; from the path `from` on. */
  inOrder(namespace: string, from = ''): Iterable<StoredObject> {
    const range = rangeOf(namespace);
    return this.#sorted.between(from > range.from ? from : range.from, range.to);
  }

  /** How many objects stand behind `path` in the same range. */
  countAfter(namespace: string, path: string): number {
    return this.#sorted.countBetween(`${path}\0`, rangeOf(namespace).to);
  }

  set(object: StoredObject, changedAt: ResourceVersion): void {
    this.#byPath.set(object.path, object);
    this.#sorted.set(object);
    this.#changedAt = changedAt;
  }

  delete(path: string, changedAt: ResourceVersion): void {
    this.#byPath.delete(path);
    this.#sorted.delete(path);
    this.#changedAt = changedAt;
  }
}

export class ObjectView implements Projection {
  readonly name = 'objects';
  readonly #resources = new Map<string, ResourceObjects>();
  #beganAt = NEVER;

  /** The view is going to be filled with what there is at this version. Before anything else. */
  beginAt(version: ResourceVersion): void {
    this.#beganAt = version;
  }

  of(resource: string): ResourceObjects {
    let objects = this.#resources.get(resource);
    if (objects === undefined) {
      objects = new ResourceObjects(this.#beganAt);
      this.#resources.set(resource, objects);
    }
    return objects;
  }

  resources(): Iterable<[string, ResourceObjects]> {
    return this.#resources;
  }

  get(resource: string, path: string): StoredObject | undefined {
    return this.#resources.get(resource)?.get(path);
  }

  /** 0 when there is no such object. */
  versionOf(resource: string, path: string): ResourceVersion {
    return this.get(resource, path)?.resourceVersion ?? NEVER;
  }

  apply({ type, resource, path, object, resourceVersion: version }: CommittedEvent): void {
    if (type === 'deleted') this.of(resource).delete(path, version);
    else this.of(resource).set(object, version);
  }
}

function rangeOf(namespace: string): { readonly from: string; readonly to: string } {
  if (namespace === '') return { from: '', to: AFTER_ALL };
  return { from: `${namespace}/`, to: `${namespace}${AFTER_SLASH}` };
}
