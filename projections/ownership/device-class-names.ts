/**
 * Which extended resources DeviceClasses stand for: the one that a class names, and the one that
 * every class is called by.
 *
 * Where two classes name the same, upstream's scheduler takes the newer. A count only wants to
 * know whether there is one, and what each class names.
 *
 * In Kubernetes: ExtendedResourceCache, k8s.io/dynamic-resource-allocation.
 */
import type { DeviceClass } from '../../api/generated/kinds/resource-v1.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import { DEVICE_CLASS } from '../../api/quota/extended-resources.ts';
import { nameOf, type StoredObject } from '../../streams/event.ts';
import type { FollowedIndex, FollowedObjects } from '../followed-objects.ts';
import { parsedObject } from '../objects/stored-object.ts';

/** As resources are named in the log: group and plural. */
export const DEVICE_CLASSES = 'resource.k8s.io/deviceclasses';

export class DeviceClassNames {
  readonly #index: FollowedIndex;
  /** '' for a class that names none. */
  readonly #named = new Map<string, string>();
  /** How many classes name it. */
  readonly #counts = new Map<string, number>();
  #generation = 0;

  constructor(followed: FollowedObjects) {
    this.#index = followed.follow(DEVICE_CLASSES, {
      set: (deviceClass) => {
        this.#set(deviceClass);
      },
      delete: (path) => {
        this.#change(nameOf(path), undefined);
      },
      clear: () => {
        this.#named.clear();
        this.#counts.clear();
        this.#generation += 1;
      },
    });
  }

  /** Another one whenever some answer may be another. */
  get generation(): number {
    this.#index.fill();
    return this.#generation;
  }

  /** The extended resource that the class names. */
  extendedNameOf(className: string): string | undefined {
    this.#index.fill();
    const name = this.#named.get(className);
    return name === '' ? undefined : name;
  }

  /** Whether some class names the extended resource, or is called by it. */
  isOfClass(extendedName: string): boolean {
    this.#index.fill();
    if (this.#counts.has(extendedName)) return true;
    if (!extendedName.startsWith(DEVICE_CLASS)) return false;
    return this.#named.has(extendedName.slice(DEVICE_CLASS.length));
  }

  #set(deviceClass: StoredObject): void {
    const { spec } = parsedObject(deviceClass) as ObjectOf<DeviceClass>; // Stored as one.
    this.#change(nameOf(deviceClass.path), spec.extendedResourceName ?? '');
  }

  #change(className: string, name: string | undefined): void {
    const before = this.#named.get(className);
    if (before === name) return;
    this.#generation += 1;
    if (name === undefined) this.#named.delete(className);
    else this.#named.set(className, name);
    this.#count(before, -1);
    this.#count(name, 1);
  }

  #count(name: string | undefined, more: 1 | -1): void {
    if (name === undefined || name === '') return;
    const count = (this.#counts.get(name) ?? 0) + more;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}
