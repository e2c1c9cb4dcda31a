/**
 * The objects that tokens stand and fall with, as they are just now: a token that is bound to a pod
 * is worth nothing from the moment on in which the fold has met the pod's deletion.
 *
 * In Kubernetes: ServiceAccountTokenGetter, pkg/serviceaccount.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';

export interface BoundObject {
  readonly uid: string;
  /** Milliseconds since 1970; undefined: it was not deleted. */
  readonly deletedAt: number | undefined;
}

export type Boundable = 'core/serviceaccounts' | 'core/pods' | 'core/secrets' | 'core/nodes';

export class BoundObjects {
  readonly #objects: Pick<ObjectView, 'get'>;
  /** An object is parsed once, as long as it stays what it is. */
  readonly #known = new WeakMap<StoredObject, BoundObject>();

  constructor(objects: Pick<ObjectView, 'get'>) {
    this.#objects = objects;
  }

  /** undefined: it is not there. @param namespace '' for nodes. */
  find(resource: Boundable, namespace: string, name: string): BoundObject | undefined {
    const stored = this.#objects.get(resource, pathOf(namespace, name));
    if (stored === undefined) return undefined;
    let bound = this.#known.get(stored);
    if (bound === undefined) {
      bound = boundObject(parsedObject(stored));
      this.#known.set(stored, bound);
    }
    return bound;
  }

  /** The whole object; for what is asked for seldom. */
  read(resource: Boundable, namespace: string, name: string): KubeObject | undefined {
    const stored = this.#objects.get(resource, pathOf(namespace, name));
    return stored === undefined ? undefined : parsedObject(stored);
  }
}

function boundObject({ metadata }: KubeObject): BoundObject {
  const { uid = '', deletionTimestamp } = metadata;
  return { uid, deletedAt: deletionTimestamp ? Date.parse(deletionTimestamp) : undefined };
}
