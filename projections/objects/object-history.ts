/**
 * What was when: the index over the log by which an object, a list or the changes
 * of a resource at any retained revision are a range read and not a replay.
 *
 * Only versions are kept here; the bytes stay in the log, which is asked for them.
 */
import type { CommittedEvent } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

/** Where an object stood at some revision. */
export interface PathVersion {
  readonly path: string;
  readonly resourceVersion: ResourceVersion;
}

export interface ObjectHistory {
  /** Resolves when every event recorded so far can be read by the methods below. */
  settled(): Promise<void>;

  /** The version which the object had at `version`; undefined when it did not exist then. */
  versionAt(resource: string, path: string, version: ResourceVersion): ResourceVersion | undefined;

  /**
   * The objects that existed at `version`, by path in order, from `from` on (inclusive)
   * as far as paths start with `prefix` ('' is all). Lazy: stop reading when enough.
   */
  pathsAt(
    resource: string,
    where: { readonly prefix: string; readonly from: string },
    version: ResourceVersion,
  ): Iterable<PathVersion>;

  /** The versions of the effective events of this resource after `version`, rising. Lazy. */
  changesAfter(resource: string, version: ResourceVersion): Iterable<ResourceVersion>;
}

/** The local store of a replica: what it needs to go on from where it was. A cache of the log. */
export interface ObjectStore extends ObjectHistory {
  /** Everything up to here is in this store; 0 when it is new. */
  readonly appliedVersion: ResourceVersion;

  /** The last sequence of each writer, as of `appliedVersion`. */
  writers(): ReadonlyMap<string, number>;

  /** Every object that exists as of `appliedVersion`, per resource by path in order. */
  current(): Iterable<PathVersion & { readonly resource: string }>;

  /**
   * Takes the effective events of a batch, and how far the fold has come with it. Returns at once;
   * what was recorded reaches the disk soon, in order, each call whole or not at all.
   */
  record(
    events: readonly CommittedEvent[],
    progress: { readonly applied: ResourceVersion; readonly writers: ReadonlyMap<string, number> },
  ): void;

  /** Writes what is still in memory, then lets go. Safe to call twice. */
  close(): Promise<void>;
}
