/**
 * The objects as they were at a version, each looked up when it is asked for: what get and the
 * dry runs see in the place of the present.
 */
import type { StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { ResourcePast } from '../list/list-page.ts';
import type { ObjectReads } from '../objects/object-view.ts';
import { storedObject } from '../objects/stored-object.ts';

export class ObjectsAt implements ObjectReads {
  readonly #pastOf: (resource: string) => ResourcePast;
  readonly #version: ResourceVersion;

  /** @param version applied, and with a history that has settled since. */
  constructor(pastOf: (resource: string) => ResourcePast, version: ResourceVersion) {
    this.#pastOf = pastOf;
    this.#version = version;
  }

  get(resource: string, path: string): StoredObject | undefined {
    const { objects, history, log } = this.#pastOf(resource);
    const now = objects.get(path);
    // Nothing has happened to it since, so it was then what it is now.
    if (now !== undefined && now.resourceVersion <= this.#version) return now;
    if (objects.changedAt <= this.#version) return undefined;
    const then = history.versionAt(resource, path, this.#version);
    const event = then === undefined ? undefined : log.at(then);
    return event === undefined ? undefined : storedObject(event);
  }
}
