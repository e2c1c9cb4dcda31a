/**
 * Which versions the live objects have: what the arbiter decides by.
 *
 * Whether anything under a prefix has changed since a version is asked once for every create under a
 * quota. So it is remembered per prefix what was touched last: mostly that decides, and the objects
 * themselves are looked through only where the last one touched is gone again. The surprise: what is
 * remembered never changes a verdict, or a server that has just started would judge otherwise than
 * one that has run for long. The verdict is a function of the live objects alone.
 */
import { namespaceOf, prefixOf } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

export interface LiveVersions {
  /** 0 when there is no such object. */
  versionOf(resource: string, path: string): ResourceVersion;
  /**
   * Whether no live object of the resource, of those whose path begins with `prefix`, has a version
   * greater than `since`. What was deleted does not count.
   */
  isUnchangedUnder(resource: string, prefix: string, since: ResourceVersion): boolean;
}

/** The live objects of one resource. */
export interface LivePaths {
  /** The version of the object at the path; 0 where there is none. */
  versionOf(path: string): ResourceVersion;
  /** Those whose path begins with the prefix, in order of their paths. */
  under(prefix: string): Iterable<readonly [path: string, version: ResourceVersion]>;
}

interface LastTouched {
  path: string;
  version: ResourceVersion;
  /** No live object of the prefix has a greater version than this. */
  bound: ResourceVersion;
}

const NONE = resourceVersion(0);
const GREATEST = resourceVersion(Number.MAX_SAFE_INTEGER);

/** Of one resource: what was touched last, under the prefixes that were asked for. */
export class TouchedPrefixes {
  readonly #last = new Map<string, LastTouched>();

  /** An object has this version now. */
  touch(path: string, version: ResourceVersion): void {
    if (this.#last.size === 0) return;
    const last = this.#last.get(prefixOf(namespaceOf(path)));
    if (last === undefined) return;
    last.path = path;
    last.version = version;
    if (version > last.bound) last.bound = version;
  }

  /** @param prefix `<namespace>/`. */
  isUnchanged(prefix: string, since: ResourceVersion, live: LivePaths): boolean {
    const last = this.#last.get(prefix);
    if (last !== undefined) {
      if (last.bound <= since) return true;
      if (last.version > since && live.versionOf(last.path) === last.version) return false;
    }
    let newest: LastTouched = { path: '', version: NONE, bound: NONE };
    for (const [path, version] of live.under(prefix)) {
      if (version <= newest.version) continue;
      newest = { path, version, bound: version };
      if (version <= since) continue;
      // Behind it there may be greater ones still.
      this.#last.set(prefix, { ...newest, bound: last?.bound ?? GREATEST });
      return false;
    }
    if (newest.version === NONE) this.#last.delete(prefix);
    else this.#last.set(prefix, newest);
    return true;
  }
}

/** Versions alone, for judges of a log that keep no objects. */
export class VersionTable implements LiveVersions {
  readonly #resources = new Map<string, ResourceVersions>();

  versionOf(resource: string, path: string): ResourceVersion {
    return this.#resources.get(resource)?.versionOf(path) ?? NONE;
  }

  isUnchangedUnder(resource: string, prefix: string, since: ResourceVersion): boolean {
    return this.#resources.get(resource)?.isUnchanged(prefix, since) ?? true;
  }

  /** What an event that took effect has made of its object. */
  note(event: {
    readonly type: string;
    readonly resource: string;
    readonly path: string;
    readonly resourceVersion: ResourceVersion;
  }): void {
    const { type, resource, path, resourceVersion: version } = event;
    let versions = this.#resources.get(resource);
    if (versions === undefined) {
      versions = new ResourceVersions();
      this.#resources.set(resource, versions);
    }
    versions.set(path, type === 'deleted' ? NONE : version);
  }
}

class ResourceVersions implements LivePaths {
  readonly #namespaces = new Map<string, Map<string, ResourceVersion>>();
  readonly #touched = new TouchedPrefixes();

  versionOf(path: string): ResourceVersion {
    return this.#namespaces.get(prefixOf(namespaceOf(path)))?.get(path) ?? NONE;
  }

  under(prefix: string): Iterable<readonly [string, ResourceVersion]> {
    return this.#namespaces.get(prefix) ?? [];
  }

  isUnchanged(prefix: string, since: ResourceVersion): boolean {
    return this.#touched.isUnchanged(prefix, since, this);
  }

  /** @param version 0: it is gone. */
  set(path: string, version: ResourceVersion): void {
    const prefix = prefixOf(namespaceOf(path));
    let paths = this.#namespaces.get(prefix);
    if (paths === undefined) {
      paths = new Map();
      this.#namespaces.set(prefix, paths);
    }
    if (version !== NONE) {
      paths.set(path, version);
      this.#touched.touch(path, version);
      return;
    }
    paths.delete(path);
    if (paths.size === 0) this.#namespaces.delete(prefix);
  }
}
