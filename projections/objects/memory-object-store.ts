/** The object store in memory: beside a log in memory, which it does not outlive either. */
import type { CommittedEvent, EventType } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { ObjectStore, PathVersion } from './object-history.ts';
import { comparePaths } from './store-key.ts';

interface Change {
  readonly version: ResourceVersion;
  readonly type: EventType;
}

/** All that is known of one resource; versions rise in every list. */
class ResourceHistory {
  readonly versions: ResourceVersion[] = [];
  readonly #changes = new Map<string, Change[]>();
  /** Undefined when paths have come in since they were sorted. */
  #sortedPaths: string[] | undefined = [];

  record(path: string, change: Change): void {
    this.versions.push(change.version);
    const changes = this.#changes.get(path);
    if (changes !== undefined) {
      changes.push(change);
      return;
    }
    this.#changes.set(path, [change]);
    this.#sortedPaths = undefined;
  }

  paths(): readonly string[] {
    this.#sortedPaths ??= [...this.#changes.keys()].sort(comparePaths);
    return this.#sortedPaths;
  }

  versionAt(path: string, version: ResourceVersion): ResourceVersion | undefined {
    const changes = this.#changes.get(path) ?? [];
    const before = countUpTo(changes, version);
    const last = changes[before - 1];
    return last === undefined || last.type === 'deleted' ? undefined : last.version;
  }
}

export class MemoryObjectStore implements ObjectStore {
  readonly #resources = new Map<string, ResourceHistory>();
  #applied = resourceVersion(0);
  #writers: ReadonlyMap<string, number> = new Map();

  get appliedVersion(): ResourceVersion {
    return this.#applied;
  }

  writers(): ReadonlyMap<string, number> {
    return this.#writers;
  }

  *current(): Generator<PathVersion & { readonly resource: string }> {
    const resources = [...this.#resources.keys()].sort(comparePaths);
    for (const resource of resources) {
      const everything = { prefix: '', from: '' };
      for (const found of this.pathsAt(resource, everything, this.#applied)) {
        yield { resource, ...found };
      }
    }
  }

  record(
    events: readonly CommittedEvent[],
    progress: { readonly applied: ResourceVersion; readonly writers: ReadonlyMap<string, number> },
  ): void {
    for (const { resource, path, resourceVersion: version, type } of events) {
      this.#historyOf(resource).record(path, { version, type });
    }
    this.#applied = progress.applied;
    this.#writers = new Map(progress.writers);
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  versionAt(resource: string, path: string, version: ResourceVersion): ResourceVersion | undefined {
    return this.#resources.get(resource)?.versionAt(path, version);
  }

  *pathsAt(
    resource: string,
    where: { readonly prefix: string; readonly from: string },
    version: ResourceVersion,
  ): Generator<PathVersion> {
    const history = this.#resources.get(resource);
    for (const path of history?.paths() ?? []) {
      if (!path.startsWith(where.prefix) || comparePaths(path, where.from) < 0) continue;
      const found = history?.versionAt(path, version);
      if (found !== undefined) yield { path, resourceVersion: found };
    }
  }

  *changesAfter(resource: string, version: ResourceVersion): Generator<ResourceVersion> {
    const versions = this.#resources.get(resource)?.versions ?? [];
    let index = versions.findLastIndex((candidate) => candidate <= version) + 1;
    for (let next = versions[index]; next !== undefined; next = versions[index]) {
      index += 1;
      yield next;
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #historyOf(resource: string): ResourceHistory {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const history = new ResourceHistory();
    this.#resources.set(resource, history);
    return history;
  }
}

/** How many of the changes, whose versions rise, are at `version` or before it. */
function countUpTo(changes: readonly Change[], version: ResourceVersion): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.version ?? Infinity) <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}
