import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { ObjectHistory } from '../objects/object-history.ts';

/** Which events took effect, asked for in rising order: the history is walked beside the log. */
export class EffectiveVersions {
  readonly #history: ObjectHistory;
  readonly #after: ResourceVersion;
  readonly #walks = new Map<string, Iterator<ResourceVersion, unknown>>();
  readonly #next = new Map<string, ResourceVersion>();

  /** @param after nothing up to here will be asked for. */
  constructor(history: ObjectHistory, after: ResourceVersion) {
    this.#history = history;
    this.#after = after;
  }

  has(resource: string, version: ResourceVersion): boolean {
    let walk = this.#walks.get(resource);
    if (walk === undefined) {
      walk = this.#history.changesAfter(resource, this.#after)[Symbol.iterator]();
      this.#walks.set(resource, walk);
    }
    for (let next = this.#next.get(resource) ?? 0; next <= version;) {
      if (next === version) return true;
      const step = walk.next();
      if (step.done === true) return false;
      next = step.value;
      this.#next.set(resource, step.value);
    }
    return false;
  }
}
