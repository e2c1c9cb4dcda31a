/**
 * The verdict of every event of a log, without folding it from its beginning: up to where an index
 * has come the index knows what took effect, and behind that the arbiter decides.
 */
import { isChange, namespaceOf, prefixOf, type LoggedEvent } from '../../streams/event.ts';
import type { LogCuts } from '../../streams/log-cuts.ts';
import {
  resourceVersion,
  versionBefore,
  type ResourceVersion,
} from '../../streams/resource-version.ts';
import { Arbiter, type Verdict } from '../fold/arbiter.ts';
import { TouchedPrefixes, type LiveVersions } from '../fold/live-versions.ts';
import type { ObjectHistory, ObjectStore } from '../store/object-history.ts';

const NONE = resourceVersion(0);

type ChangedPaths = Map<string, ResourceVersion>;

/** The versions of one resource that took effect, asked for in rising order. */
class EffectiveVersions {
  readonly #versions: Iterator<ResourceVersion>;
  #next: ResourceVersion | undefined;

  constructor(history: ObjectHistory, resource: string, after: ResourceVersion) {
    this.#versions = history.changesAfter(resource, after)[Symbol.iterator]();
    this.#next = this.#advance();
  }

  has(version: ResourceVersion): boolean {
    while (this.#next !== undefined && this.#next < version) this.#next = this.#advance();
    return this.#next === version;
  }

  #advance(): ResourceVersion | undefined {
    const next = this.#versions.next();
    return next.done === true ? undefined : next.value;
  }
}

export class EventJudge implements LiveVersions {
  /** Up to here the index knows; 0: it is of no use. */
  readonly indexed: ResourceVersion;
  readonly #history: ObjectHistory;
  readonly #settled: ResourceVersion;
  readonly #arbiter: Arbiter;
  readonly #effective = new Map<string, EffectiveVersions>();
  /** The last sequence of each writer among the events that were judged by the index. */
  readonly #sequences: Map<string, number>;
  /**
   * What the events behind the index have made of objects; 0 for those that were deleted. By
   * resource and prefix, and then by path.
   */
  readonly #changed = new Map<string, ChangedPaths>();
  readonly #touched = new Map<string, TouchedPrefixes>();
  #size = 0;

  /**
   * @param store what it knows now counts; what it is told later does not.
   * @param isOurs whether it is the store of this log.
   * @param before what judged the events so far; undefined: they were not judged.
   */
  constructor(store: ObjectStore, cuts: LogCuts, isOurs: boolean, before?: EventJudge) {
    const { appliedVersion } = store;
    const isUseful = isOurs && appliedVersion >= cuts.settled;
    this.indexed = isUseful ? appliedVersion : NONE;
    this.#history = store;
    this.#settled = cuts.settled;
    this.#sequences = new Map(before?.writers ?? cuts.writers);
    this.#arbiter = new Arbiter(isUseful ? store.writers() : cuts.writers, this);
  }

  /**
   * To be called in order, and for every event behind {@link indexed}. Tells duplicates from
   * overtaken ones if it was called for all events there are.
   */
  judge(event: LoggedEvent): Verdict {
    const { resourceVersion: version } = event;
    if (version <= this.#settled) {
      // Nothing else is left there. The index may know more, and does not have to be told.
      if (this.indexed === NONE) this.#note(event);
      return isChange(event) ? 'effective' : 'marker';
    }
    if (version <= this.indexed) return this.#lookUp(event);
    const verdict = this.#arbiter.judge(event);
    if (verdict === 'effective') this.#note(event);
    return verdict;
  }

  /** How many objects it remembers. */
  get size(): number {
    return this.#size;
  }

  /** The last sequence of each writer behind {@link indexed}. */
  get writers(): ReadonlyMap<string, number> {
    return this.#arbiter.writers;
  }

  #lookUp(event: LoggedEvent): Verdict {
    const last = this.#sequences.get(event.writer);
    if (last !== undefined && event.sequence <= last) return 'duplicate';
    this.#sequences.set(event.writer, event.sequence);
    if (!isChange(event)) return 'marker';
    return this.#tookEffect(event) ? 'effective' : 'overtaken';
  }

  #tookEffect({ resource, resourceVersion: version }: LoggedEvent): boolean {
    let versions = this.#effective.get(resource);
    if (versions === undefined) {
      versions = new EffectiveVersions(this.#history, resource, versionBefore(version));
      this.#effective.set(resource, versions);
    }
    return versions.has(version);
  }

  #note({ resource, path, type, resourceVersion: version }: LoggedEvent): void {
    const key = `${resource} ${prefixOf(namespaceOf(path))}`;
    let changed = this.#changed.get(key);
    if (changed === undefined) {
      changed = new Map();
      this.#changed.set(key, changed);
    }
    const { size } = changed;
    changed.set(path, type === 'deleted' ? NONE : version);
    this.#size += changed.size - size;
    if (type !== 'deleted') this.#touched.get(resource)?.touch(path, version);
  }

  versionOf(resource: string, path: string): ResourceVersion {
    const changed = this.#changed.get(`${resource} ${prefixOf(namespaceOf(path))}`)?.get(path);
    if (changed !== undefined) return changed;
    if (this.indexed === NONE) return NONE;
    return this.#history.versionAt(resource, path, this.indexed) ?? NONE;
  }

  isUnchangedUnder(resource: string, prefix: string, since: ResourceVersion): boolean {
    let touched = this.#touched.get(resource);
    if (touched === undefined) {
      touched = new TouchedPrefixes();
      this.#touched.set(resource, touched);
    }
    return touched.isUnchanged(prefix, since, {
      versionOf: (path) => this.versionOf(resource, path),
      under: (where) => this.#under(resource, where),
    });
  }

  *#under(resource: string, prefix: string): Generator<readonly [string, ResourceVersion]> {
    const changed = this.#changed.get(`${resource} ${prefix}`);
    for (const [path, version] of changed ?? []) if (version !== NONE) yield [path, version];
    if (this.indexed === NONE) return;
    const where = { prefix, from: '' };
    for (const one of this.#history.pathsAt(resource, where, this.indexed)) {
      if (changed?.has(one.path) !== true) yield [one.path, one.resourceVersion];
    }
  }
}
