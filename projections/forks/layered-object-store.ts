/**
 * What was when in a fork: up to its base what its parent knows, behind that its own changes on
 * top of the parent's state at the base. Only the fork's own changes are recorded.
 *
 * The parent's history is read without asking it to settle again: it had settled up to the base
 * before the fork was opened, and what is true at a version stays true.
 */
import type { DiskUsage } from '../../streams/lmdb-usage.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { LogCuts } from '../../streams/log-cuts.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type {
  FateReads,
  FoldProgress,
  GoneRecord,
  ObjectHistory,
  ObjectStore,
  PathChange,
  PathFate,
  PathRange,
  PathVersion,
  RecordedEvent,
} from '../store/object-history.ts';
import { comparePaths } from '../store/store-key.ts';

export interface StoreLayers {
  readonly parent: { readonly history: ObjectHistory; readonly log: Pick<EventReader, 'at'> };
  readonly base: ResourceVersion;
  /** Of the fork's own changes alone; closed with this. */
  readonly own: ObjectStore & FateReads;
  /** The fork's own records alone. */
  readonly ownLog: Pick<EventReader, 'at'>;
}

const EVERYTHING: PathRange = { prefix: '', from: '' };

export class LayeredObjectStore implements ObjectStore {
  readonly #layers: StoreLayers;

  constructor(layers: StoreLayers) {
    this.#layers = layers;
  }

  get appliedVersion(): ResourceVersion {
    const { own, base } = this.#layers;
    return resourceVersion(Math.max(own.appliedVersion, base));
  }

  /** Of its parent it knows the last record alone, which is hardly ever not the latest. */
  get latestTime(): number {
    const { parent, base, own } = this.#layers;
    return Math.max(own.latestTime, parent.log.at(base)?.time ?? Number.NEGATIVE_INFINITY);
  }

  writers(): ReadonlyMap<string, number> {
    return this.#layers.own.writers();
  }

  *current(): Generator<PathVersion & { readonly resource: string }> {
    for (const resource of [...this.resourcesEver()].sort(comparePaths)) {
      for (const found of this.pathsAt(resource, EVERYTHING, this.appliedVersion)) {
        yield { resource, ...found };
      }
    }
  }

  record(events: readonly RecordedEvent[], progress: FoldProgress): void {
    this.#layers.own.record(events, progress);
  }

  settled(): Promise<void> {
    return this.#layers.own.settled();
  }

  versionAt(resource: string, path: string, version: ResourceVersion): ResourceVersion | undefined {
    const { parent, base, own } = this.#layers;
    if (version <= base) return parent.history.versionAt(resource, path, version);
    const found = own.versionAt(resource, path, version);
    if (found !== undefined) return found;
    for (const change of own.versionsOf(resource, path)) {
      // It is the fork that deleted it.
      if (change.resourceVersion <= version) return undefined;
      break;
    }
    return parent.history.versionAt(resource, path, base);
  }

  pathsAt(resource: string, where: PathRange, version: ResourceVersion): Iterable<PathVersion> {
    const { parent, base, own } = this.#layers;
    if (version <= base) return parent.history.pathsAt(resource, where, version);
    const inherited = parent.history.pathsAt(resource, where, base);
    return merged(inherited, own.fatesAt(resource, where, version));
  }

  stepsAt(
    resource: string,
    where: PathRange,
    version: ResourceVersion,
  ): Iterable<PathVersion | undefined> {
    const { parent, base, own } = this.#layers;
    if (version <= base) return parent.history.stepsAt(resource, where, version);
    const inherited = parent.history.stepsAt(resource, where, base);
    return merged(inherited, own.fatesAt(resource, where, version));
  }

  resourcesEver(): Iterable<string> {
    const { parent, own } = this.#layers;
    return new Set([...parent.history.resourcesEver(), ...own.resourcesEver()]);
  }

  *changesAfter(resource: string, version: ResourceVersion): Generator<ResourceVersion> {
    const { parent, base, own } = this.#layers;
    if (version < base) {
      for (const change of parent.history.changesAfter(resource, version)) {
        if (change > base) break;
        yield change;
      }
    }
    yield* own.changesAfter(resource, version);
  }

  *versionsOf(resource: string, path: string): Generator<PathChange> {
    const { parent, base, own } = this.#layers;
    for (const change of parent.history.versionsOf(resource, path)) {
      if (change.resourceVersion > base) break;
      yield change;
    }
    yield* own.versionsOf(resource, path);
  }

  /** Whatever was cut before the fork was made: from its base on it can be read. */
  readableSince(resource: string): ResourceVersion {
    const { parent, base } = this.#layers;
    return resourceVersion(Math.min(parent.history.readableSince(resource), base));
  }

  versionAtTime(timeMs: number, _log: Pick<EventReader, 'at'>): ResourceVersion | undefined {
    const { parent, base, own, ownLog } = this.#layers;
    const inParent = parent.history.versionAtTime(timeMs, parent.log);
    if (inParent === undefined || inParent < base) return inParent;
    const first = ownLog.at(resourceVersion(base + 1));
    if (first !== undefined && first.time > timeMs) return base;
    return resourceVersion(Math.max(base, own.versionAtTime(timeMs, ownLog) ?? base));
  }

  /** The cuts are the parent's, and of the fork nothing is ever cut. */
  adoptCuts(_cuts: LogCuts): void {
    // See above.
  }

  forget(_gone: readonly GoneRecord[]): Promise<void> {
    return Promise.resolve();
  }

  tidy(): Promise<void> {
    return Promise.resolve();
  }

  diskUsage(): DiskUsage {
    return this.#layers.own.diskUsage();
  }

  close(): Promise<void> {
    return this.#layers.own.close();
  }
}

/** Two runs in order of path become one; where both know a path, the fork's word counts. Steps of the first stay where they are. */
function* merged<Step extends PathVersion | undefined>(
  inherited: Iterable<Step>,
  own: Iterable<PathFate>,
): Generator<Step | PathVersion> {
  const fates = own[Symbol.iterator]();
  let fate = fates.next();
  for (const object of inherited) {
    if (object === undefined) {
      yield object;
      continue;
    }
    let isOverruled = false;
    while (fate.done !== true) {
      const order = comparePaths(fate.value.path, object.path);
      if (order > 0) break;
      isOverruled ||= order === 0;
      yield* standing(fate.value);
      fate = fates.next();
    }
    if (!isOverruled) yield object;
  }
  for (; fate.done !== true; fate = fates.next()) yield* standing(fate.value);
}

function standing({ path, resourceVersion: version }: PathFate): readonly PathVersion[] {
  return version === undefined ? [] : [{ path, resourceVersion: version }];
}
