/**
 * How many objects there are of a resource, and how large one is about: looked at again from time to
 * time, and only when somebody lists them.
 *
 * In Kubernetes: StorageObjectCountTracker, apiserver/pkg/util/flowcontrol/request.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';

export interface ObjectStats {
  readonly count: number;
  readonly averageBytes: number;
}

const LOOK_EVERY_MS = 60_000;
/** Objects of one resource are mostly alike. */
const SAMPLE = 64;

interface Looked {
  readonly averageBytes: number;
  readonly until: number;
}

export class ObjectSizes {
  readonly #objects: ObjectView;
  readonly #clock: Clock;
  readonly #looked = new Map<string, Looked>();

  constructor(objects: ObjectView, clock: Clock) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** undefined: nobody has stored any of them. */
  of(group: string, resource: string): ObjectStats | undefined {
    const storage = `${group === '' ? 'core' : group}/${resource}`;
    if (!this.#objects.has(storage)) return undefined;
    const count = this.#objects.of(storage).size;
    if (count === 0) return { count, averageBytes: 0 };
    const now = this.#clock.now();
    let looked = this.#looked.get(storage);
    if (looked === undefined || looked.until < now) {
      looked = { averageBytes: this.#average(storage), until: now + LOOK_EVERY_MS };
      this.#looked.set(storage, looked);
    }
    return { count, averageBytes: looked.averageBytes };
  }

  #average(storage: string): number {
    let bytes = 0;
    let seen = 0;
    for (const { json } of this.#objects.of(storage).inOrder('')) {
      bytes += json.length;
      seen += 1;
      if (seen === SAMPLE) break;
    }
    return seen === 0 ? 0 : Math.round(bytes / seen);
  }
}
