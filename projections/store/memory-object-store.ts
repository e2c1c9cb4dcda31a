/** The object store in memory: beside a log in memory, which it does not outlive either. */
import type { DiskUsage } from '../../streams/lmdb-usage.ts';
import type { EventReader } from '../../streams/event-log.ts';
import { cutOf, laterCut, NO_CUTS, type Cut, type LogCuts } from '../../streams/log-cuts.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type {
  FateReads,
  FoldProgress,
  GoneRecord,
  ObjectStore,
  PathChange,
  PathFate,
  PathRange,
  PathVersion,
  RecordedEvent,
} from './object-history.ts';
import { comparePaths } from './store-key.ts';
import { isWorthKeeping, NO_TIME, versionAtTime, type TimePoint } from './time-index.ts';

/** All that is known of one resource; versions rise in every list. */
class ResourceHistory {
  versions: ResourceVersion[] = [];
  readonly #changes = new Map<string, PathChange[]>();
  /** Undefined when paths have come in since they were sorted. */
  #sortedPaths: string[] | undefined = [];

  record(path: string, change: PathChange): void {
    this.versions.push(change.resourceVersion);
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

  changesOf(path: string): readonly PathChange[] {
    return this.#changes.get(path) ?? [];
  }

  versionAt(path: string, version: ResourceVersion): ResourceVersion | undefined {
    const changes = this.changesOf(path);
    const last = changes[countUpTo(changes, version) - 1];
    return last === undefined || last.type === 'deleted' ? undefined : last.resourceVersion;
  }

  /** Lets go of what is not the state at `version`, up to there. */
  cut(version: ResourceVersion): void {
    this.#keep((change, path) => {
      const { resourceVersion: at } = change;
      return at > version || at === this.versionAt(path, version);
    });
  }

  forget(versions: ReadonlySet<ResourceVersion>): void {
    this.#keep((change) => !versions.has(change.resourceVersion));
  }

  #keep(isKept: (change: PathChange, path: string) => boolean): void {
    const left = new Set<ResourceVersion>();
    for (const [path, changes] of this.#changes) {
      const kept = changes.filter((change) => isKept(change, path));
      for (const change of kept) left.add(change.resourceVersion);
      if (kept.length > 0) this.#changes.set(path, kept);
      else this.#changes.delete(path);
    }
    this.versions = this.versions.filter((one) => left.has(one));
    this.#sortedPaths = undefined;
  }
}

export class MemoryObjectStore implements ObjectStore, FateReads {
  readonly #resources = new Map<string, ResourceHistory>();
  #applied = resourceVersion(0);
  #writers: ReadonlyMap<string, number> = new Map();
  readonly #points: TimePoint[] = [];
  #latestTime = NO_TIME.time;
  #everything = NO_CUTS.everything;
  readonly #cuts = new Map<string, Cut>();

  get appliedVersion(): ResourceVersion {
    return this.#applied;
  }

  get latestTime(): number {
    return this.#latestTime;
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

  record(events: readonly RecordedEvent[], progress: FoldProgress): void {
    for (const { resource, path, resourceVersion: version, type } of events) {
      this.#historyOf(resource).record(path, { resourceVersion: version, type });
    }
    this.#applied = progress.applied;
    this.#writers = new Map(progress.writers);
    this.#latestTime = Math.max(this.#latestTime, progress.time);
    const now = { time: this.#latestTime, version: this.#applied };
    if (isWorthKeeping(now, this.#points.at(-1) ?? NO_TIME)) this.#points.push(now);
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  versionAt(resource: string, path: string, version: ResourceVersion): ResourceVersion | undefined {
    return this.#resources.get(resource)?.versionAt(path, version);
  }

  *pathsAt(resource: string, where: PathRange, version: ResourceVersion): Generator<PathVersion> {
    for (const { path, resourceVersion: found } of this.fatesAt(resource, where, version)) {
      if (found !== undefined) yield { path, resourceVersion: found };
    }
  }

  stepsAt(resource: string, where: PathRange, version: ResourceVersion): Iterable<PathVersion> {
    return this.pathsAt(resource, where, version);
  }

  *fatesAt(resource: string, where: PathRange, version: ResourceVersion): Generator<PathFate> {
    const history = this.#resources.get(resource);
    for (const path of history?.paths() ?? []) {
      if (!path.startsWith(where.prefix) || comparePaths(path, where.from) < 0) continue;
      const first = history?.changesOf(path)[0];
      if (first === undefined || first.resourceVersion > version) continue;
      yield { path, resourceVersion: history?.versionAt(path, version) };
    }
  }

  resourcesEver(): Iterable<string> {
    return this.#resources.keys();
  }

  *changesAfter(resource: string, version: ResourceVersion): Generator<ResourceVersion> {
    const versions = this.#resources.get(resource)?.versions ?? [];
    let index = versions.findLastIndex((candidate) => candidate <= version) + 1;
    for (let next = versions[index]; next !== undefined; next = versions[index]) {
      index += 1;
      yield next;
    }
  }

  versionsOf(resource: string, path: string): Iterable<PathChange> {
    return this.#resources.get(resource)?.changesOf(path) ?? [];
  }

  readableSince(resource: string): ResourceVersion {
    return cutOf({ everything: this.#everything, resources: this.#cuts }, resource).version;
  }

  versionAtTime(timeMs: number, log: Pick<EventReader, 'at'>): ResourceVersion | undefined {
    const found = versionAtTime(timeMs, {
      log,
      from: this.#points.findLast((point) => point.time <= timeMs) ?? NO_TIME,
      now: { time: this.#latestTime, version: this.#applied },
      cuts: [this.#everything, ...this.#cuts.values()],
    });
    return found < this.#everything.version ? undefined : found;
  }

  adoptCuts(cuts: LogCuts): void {
    this.#everything = laterCut(this.#everything, cuts.everything);
    for (const [resource, cut] of cuts.resources) {
      this.#cuts.set(resource, laterCut(cut, this.#cuts.get(resource)));
    }
  }

  forget(gone: readonly GoneRecord[]): Promise<void> {
    const versions = new Set(gone.map((record) => record.resourceVersion));
    for (const history of this.#resources.values()) history.forget(versions);
    return Promise.resolve();
  }

  tidy(cuts: LogCuts): Promise<void> {
    for (const [resource, history] of this.#resources) {
      history.cut(cutOf(cuts, resource).version);
    }
    return Promise.resolve();
  }

  diskUsage(): DiskUsage {
    return { bytes: 0, freeBytes: 0 };
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
function countUpTo(changes: readonly PathChange[], version: ResourceVersion): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.resourceVersion ?? Infinity) <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}
