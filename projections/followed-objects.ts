/**
 * Indexes over all objects of a resource: a filter or plug-in that needs the roles, policies or
 * quotas there are does not look through them for each request, but keeps what it made of them, and
 * is told of each change in the fold itself. So what was committed counts from the next request on.
 *
 * The surprise: an index is filled when it is first looked at. What a server skims over at its
 * start is not told, and a fork looks up what it has of a resource when it is first asked for.
 */
import type { CommittedEvent, StoredObject } from '../streams/event.ts';
import type { ObjectView } from './objects/object-view.ts';
import type { Projection } from './fold/projection.ts';

/** What is made of the objects of one resource. It must not throw, and must not wait. */
export interface ObjectIndex {
  /** A new object, or what an object is now. The same one may be told twice. */
  set(object: StoredObject): void;
  /** The object is gone, or does not belong to the index any more. */
  delete(path: string): void;
  /** Everything that was told is void: it begins anew. */
  clear(): void;
}

/** An index as its owner has it. */
export interface FollowedIndex {
  /** To be called before the index is looked at. Costs nothing but the first time. */
  fill(): void;
}

export class FollowedObjects implements Projection {
  readonly name = 'followed-objects';
  readonly #objects: ObjectView;
  readonly #followed = new Map<string, Followed[]>();

  constructor(objects: ObjectView) {
    this.#objects = objects;
  }

  /** @param resource as the log names it: `core/namespaces`. */
  follow(resource: string, index: ObjectIndex): FollowedIndex {
    const followed = new Followed(this.#objects, resource, index);
    const others = this.#followed.get(resource) ?? [];
    this.#followed.set(resource, [...others, followed]);
    return followed;
  }

  apply(event: CommittedEvent): void {
    const followed = this.#followed.get(event.resource);
    if (followed === undefined) return;
    for (const one of followed) one.apply(event);
  }

  skipTo(): void {
    for (const followed of this.#followed.values()) {
      for (const one of followed) one.forget();
    }
  }
}

class Followed implements FollowedIndex {
  readonly #objects: ObjectView;
  readonly #resource: string;
  readonly #index: ObjectIndex;
  #isFilled = false;

  constructor(objects: ObjectView, resource: string, index: ObjectIndex) {
    this.#objects = objects;
    this.#resource = resource;
    this.#index = index;
  }

  fill(): void {
    if (this.#isFilled) return;
    this.#isFilled = true;
    for (const object of this.#objects.of(this.#resource).inOrder('')) this.#index.set(object);
  }

  /** An index that is not filled yet will find the object where it is by then. */
  apply({ type, path, object }: CommittedEvent): void {
    if (!this.#isFilled) return;
    if (type === 'deleted') this.#index.delete(path);
    else this.#index.set(object);
  }

  forget(): void {
    if (!this.#isFilled) return;
    this.#isFilled = false;
    this.#index.clear();
  }
}
