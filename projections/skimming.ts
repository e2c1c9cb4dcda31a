/**
 * The fold of a long log at a start, of which only the heads of its records are read: judged as ever, and the objects and the
 * store learn of them, but no bytes of an object that may be replaced by the next event are looked at, and no view is told.
 */
import { isChange, type EventHead, type EventType } from '../streams/event.ts';
import type { EventHeads } from '../streams/event-log.ts';
import type { ResourceVersion } from '../streams/resource-version.ts';
import type { Arbiter, Verdict } from './fold/arbiter.ts';
import { ObjectsByVersion } from './fold/objects-by-version.ts';
import type { RecordedEvent } from './store/object-history.ts';
import type { ObjectView, ResourceObjects } from './objects/object-view.ts';
import type { WarmObjects } from './objects/warm-objects.ts';

type ChangeHead = EventHead & { readonly type: EventType };

/** What the heads of some records came to. */
export interface Skimmed {
  readonly effective: readonly RecordedEvent[];
  readonly last: ResourceVersion;
  /** The latest of all of them. */
  readonly time: number;
}

export interface SkimmingParts {
  readonly arbiter: Arbiter;
  readonly objects: ObjectView;
  readonly warm: WarmObjects;
  /** Told of each, whatever becomes of it. */
  readonly tell: (head: EventHead, verdict: Verdict) => void;
}

export class Skimming {
  readonly #parts: SkimmingParts;
  readonly #versions: ObjectsByVersion;

  /** @param first of the versions that are going to be skimmed. @param last of them, or later. */
  constructor(parts: SkimmingParts, first: ResourceVersion, last: ResourceVersion) {
    this.#parts = parts;
    this.#versions = new ObjectsByVersion(first, last);
  }

  /** The path of the object that has this version. */
  readonly pathOf = (version: ResourceVersion): string | undefined =>
    this.#versions.at(version)?.path;

  /** Folds the first `max` of them. @returns undefined: there are none. */
  some(heads: EventHeads, max: number, before: ResourceVersion): Skimmed | undefined {
    const effective: RecordedEvent[] = [];
    let time = Number.NEGATIVE_INFINITY;
    let last: ResourceVersion | undefined;
    for (let count = 0; count < max; count += 1) {
      const head = heads.next();
      if (head === undefined || head.resourceVersion >= before) break;
      if (head.time > time) time = head.time;
      last = head.resourceVersion;
      this.#judge(head, effective);
    }
    return last === undefined ? undefined : { effective, last, time };
  }

  #judge(head: EventHead, effective: RecordedEvent[]): void {
    const { arbiter, objects, tell } = this.#parts;
    const ofResource = head.type === 'marker' ? undefined : objects.of(head.resource);
    if (ofResource !== undefined) this.#find(head, ofResource);
    const verdict = arbiter.judge(head);
    if (ofResource !== undefined && verdict === 'effective' && isChange(head)) {
      this.#change(head, ofResource);
      const { resource, path, resourceVersion, type, previousResourceVersion } = head;
      effective.push({ resource, path, resourceVersion, type, previousResourceVersion });
    }
    tell(head, verdict);
  }

  #find(
    { resource, path, previousResourceVersion: previous }: EventHead,
    of: ResourceObjects,
  ): void {
    const object = this.#versions.at(previous);
    if (object !== undefined && object.path === path && object.resource === resource)
      of.found(object);
  }

  /** No reader has seen an object yet, so the next version of most of them is the same value. */
  #change(head: ChangeHead, objects: ResourceObjects): void {
    const { type, path, resourceVersion: version } = head;
    const { warm } = this.#parts;
    const previous = objects.get(path);
    const isSame = previous !== undefined && type !== 'deleted' && objects.canRenew;
    const before = previous?.resourceVersion;
    if (isSame && warm.renewed(previous, version)) {
      objects.renewed(path, version);
      if (before !== undefined) this.#versions.move(before, version, previous);
      return;
    }
    warm.replaced(previous);
    if (before !== undefined) this.#versions.remove(before);
    if (type === 'deleted') {
      objects.delete(path, version);
      return;
    }
    const object = warm.known(previous ?? head, version);
    objects.set(object, version);
    this.#versions.put(version, object);
  }
}
