/**
 * Where a log was cut: what is gone from it, and what that means for a fold of the rest.
 *
 * A cut of a resource removes those of its records up to a version that are not the state at that
 * version. What is left in front of the cut is therefore the state at the cut, no more and no less, once that is done.
 * Nothing that took no effect is left up to `settled`, which no cut lies behind. So a fold need
 * not, and could not, judge what it finds up to there: all of it took effect.
 */
import { resourceVersion, type ResourceVersion } from './resource-version.ts';

/** How far a log, or a resource in it, was cut. */
export interface Cut {
  /** The state as of this version can be read, and all that changed after it. 0: everything. */
  readonly version: ResourceVersion;
  /** The latest time of what was cut, in milliseconds since 1970. */
  readonly time: number;
}

/** A cut whose records are not all gone: they go in the order of the log, so what is left of an object ends with its state. */
export interface CutUnderWay {
  /** What goes is replaced, or deleted, by changes behind this version. */
  readonly from: ResourceVersion;
  /** And not behind this one. */
  readonly to: ResourceVersion;
  /** Up to here all is gone that goes. */
  readonly done: ResourceVersion;
}

/** Where a log was cut, and what a fold has to know of what is gone. */
export interface LogCuts {
  /** No cut lies behind it: from here on nothing is missing. */
  readonly settled: ResourceVersion;
  /** The last sequence of each writer as of `settled`. */
  readonly writers: ReadonlyMap<string, number>;
  /** The cut of every resource that has no later one of its own. */
  readonly everything: Cut;
  /** By storage, the later cuts of resources that are kept for a shorter time. */
  readonly resources: ReadonlyMap<string, Cut>;
  /** Set: in front of the cuts more is left than the state. */
  readonly underWay?: CutUnderWay;
}

export const NO_CUT: Cut = { version: resourceVersion(0), time: Number.NEGATIVE_INFINITY };

/** Of a log that is whole. */
export const NO_CUTS: LogCuts = {
  settled: resourceVersion(0),
  writers: new Map(),
  everything: NO_CUT,
  resources: new Map(),
};

/** The cut that counts for the resource. */
export function cutOf(cuts: Pick<LogCuts, 'everything' | 'resources'>, resource: string): Cut {
  return laterCut(cuts.everything, cuts.resources.get(resource));
}

/** The cut that reaches further. */
export function laterCut(one: Cut, other: Cut | undefined): Cut {
  return other !== undefined && other.version > one.version ? other : one;
}
