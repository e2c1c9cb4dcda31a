/**
 * What was when: the index over the log by which an object, a list or the changes
 * of a resource at any retained revision are a range read and not a replay.
 *
 * Only versions are kept here; the bytes stay in the log, which is asked for them.
 */
import type { CommittedEvent, EventType } from '../../streams/event.ts';
import type { DiskUsage } from '../../streams/lmdb-usage.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { LogCuts } from '../../streams/log-cuts.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

/** Where an object stood at some revision. */
export interface PathVersion {
  /** `namespace/name`, or `/name` where the kind has no namespace. */
  readonly path: string;
  /** The one that the object had there; its bytes are in the log. */
  readonly resourceVersion: ResourceVersion;
}

/** Where an object stood, or that it was gone: undefined. */
export interface PathFate {
  /** `namespace/name`, or `/name` where the kind has no namespace. */
  readonly path: string;
  /** The one that the object had there. */
  readonly resourceVersion: ResourceVersion | undefined;
}

/** Paths that start with `prefix` ('' is all), from `from` on (inclusive). */
export interface PathRange {
  /** `namespace/` for the objects of one namespace. */
  readonly prefix: string;
  /** '' is from the first on. */
  readonly from: string;
}

/** A change in the life of one object. */
export interface PathChange {
  /** Of the record that made the change. */
  readonly resourceVersion: ResourceVersion;
  /** Whether it made the object, replaced it or removed it. */
  readonly type: EventType;
}

/** The disk does not take what was recorded, which is tried again: what is asked can be told later. */
export class HistoryBehindError extends Error {
  override readonly name = 'HistoryBehindError';
}

export interface ObjectHistory {
  /**
   * Resolves when every event recorded so far can be read by the methods below.
   *
   * @throws {HistoryBehindError} not for now.
   */
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

  /**
   * The same, with undefined behind some hundreds of paths that were looked at, whether an object was there or not: millions may
   * have come since, or be gone. There a reader can let others have their turn.
   */
  stepsAt(
    resource: string,
    where: { readonly prefix: string; readonly from: string },
    version: ResourceVersion,
  ): Iterable<PathVersion | undefined>;

  /** Every resource that has, or had, an object in the history; in no order. Lazy. */
  resourcesEver(): Iterable<string>;

  /** The versions of the effective events of this resource after `version`, rising. Lazy. */
  changesAfter(resource: string, version: ResourceVersion): Iterable<ResourceVersion>;

  /**
   * Every change of one object that is still known, deletions too, rising. Lazy. What is older than
   * {@link readableSince} is its last state before that, if it existed then.
   */
  versionsOf(resource: string, path: string): Iterable<PathChange>;

  /**
   * The oldest version as of which this resource can be read, and after which all its changes
   * are here; 0 when nothing was ever cut. It can rise at any time: ask after {@link settled}, and
   * read in the same turn.
   */
  readableSince(resource: string): ResourceVersion;

  /**
   * The moment of a time, in milliseconds since 1970: the version just before the first record
   * with a later time, whether that took effect or not; the newest applied when there is none. Times
   * come from the writers' clocks and need not rise. Undefined when it lies before everything that
   * can be read.
   *
   * Of what was cut only the last time counts. So the version may be another than before the
   * cut, but whatever can still be read is the same there, as far as the times rose.
   */
  versionAtTime(timeMs: number, log: Pick<EventReader, 'at'>): ResourceVersion | undefined;
}

/** For a history that lies on top of another one, where that something is gone has to be said. */
export interface FateReads {
  /**
   * What had become by `version` of every object that this history knew of by then, by path in
   * order: {@link ObjectHistory.pathsAt}, and those that were gone.
   */
  fatesAt(resource: string, where: PathRange, version: ResourceVersion): Iterable<PathFate>;
}

/** What a history keeps of an event that took effect. */
export interface RecordedEvent extends Pick<
  CommittedEvent,
  'resource' | 'path' | 'resourceVersion' | 'type'
> {
  /** The version of the object that the event replaced, where that is at hand. */
  readonly previousResourceVersion?: ResourceVersion;
}

/** How far the fold has come with a batch. */
export interface FoldProgress {
  /** The version of the last record of the batch. */
  readonly applied: ResourceVersion;
  /** The last sequence of each writer as of `applied`. */
  readonly writers: ReadonlyMap<string, number>;
  /** The latest time of all records of the batch, of those without effect too. */
  readonly time: number;
}

/** A record in front of a cut that is not the state there. */
export interface GoneRecord {
  /** As the log names it: `apps/deployments`. */
  readonly resource: string;
  /** Where it lay. */
  readonly resourceVersion: ResourceVersion;
}

/** The local store of a replica: what it needs to go on from where it was. A cache of the log. */
export interface ObjectStore extends ObjectHistory {
  /** Everything up to here is in this store; 0 when it is new. */
  readonly appliedVersion: ResourceVersion;

  /** The latest time of all records up to `appliedVersion`; `-Infinity` when there are none. */
  readonly latestTime: number;

  /** The last sequence of each writer, as of `appliedVersion`. */
  writers(): ReadonlyMap<string, number>;

  /** Every object that exists as of `appliedVersion`, per resource by path in order. */
  current(): Iterable<PathVersion & { readonly resource: string }>;

  /**
   * Takes the effective events of a batch, and how far the fold has come with it. Returns at once;
   * what was recorded reaches the disk soon, in order, each call whole or not at all.
   */
  record(events: readonly RecordedEvent[], progress: FoldProgress): void;

  /**
   * A long log is going to be recorded up to this version, and nothing of it asked for before. An empty store may
   * keep it in memory then, {@link isFilling}, and write it at once, which costs much less. Left out where that is
   * all the same.
   */
  beginFilling?(end: ResourceVersion): void;

  /** Whether what is recorded now is kept in memory on purpose. {@link settled} ends that. */
  readonly isFilling?: boolean;

  /**
   * Takes over where the log was cut, or is going to be: {@link readableSince} rises at once.
   * To be told again at every start, before anything is read.
   */
  adoptCuts(cuts: LogCuts): void;

  /**
   * Lets go of records in front of cuts that were adopted. Resolves when that is on disk. What else is known of their objects may
   * stay until {@link tidy}, where nothing that can be read shows it.
   *
   * @param gone by version.
   * @param cuts nothing of the log is left in front of them that goes, and this is the last that is told of that.
   */
  forget(gone: readonly GoneRecord[], cuts?: LogCuts): Promise<void>;

  /**
   * Lets go of what is left in front of these cuts, where it is enough to be looked for. Not while a cut is under way.
   *
   * @param stopped asked again and again: whether to leave the rest for another time.
   */
  tidy(cuts: LogCuts, stopped?: () => boolean): Promise<void>;

  /** The size of its file, for metrics and `everwatch status`. */
  diskUsage(): DiskUsage;

  /** Writes what is still in memory, then lets go. Safe to call twice. */
  close(): Promise<void>;
}
