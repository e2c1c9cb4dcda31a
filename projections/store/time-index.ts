/**
 * Which moment a time is. Times come from the clocks of many writers and go back and forth, so a
 * time means the version before the first record that is later; and the running maximum of the
 * times is what can be searched.
 *
 * Only some points of that maximum are kept, at most one for a second and for 1,024 versions.
 * They say where to begin to look; the log says the rest, so the answer does not depend on them.
 */
import type { EventReader } from '../../streams/event-log.ts';
import type { Cut } from '../../streams/log-cuts.ts';
import {
  resourceVersion,
  versionBefore,
  type ResourceVersion,
} from '../../streams/resource-version.ts';

/** Up to this version, no record is later than this time. */
export interface TimePoint {
  readonly time: number;
  readonly version: ResourceVersion;
}

export const NO_TIME: TimePoint = {
  time: Number.NEGATIVE_INFINITY,
  version: resourceVersion(0),
};

const POINT_EVERY_MS = 1_000;
const POINT_EVERY_VERSIONS = 1_024;

/** Whether `now` is far enough from the last point that it should be kept. */
export function isWorthKeeping(now: TimePoint, last: TimePoint): boolean {
  if (now.time - last.time >= POINT_EVERY_MS) return true;
  return now.version - last.version >= POINT_EVERY_VERSIONS;
}

export interface TimeSearch {
  readonly log: Pick<EventReader, 'at'>;
  /** The last known point that is not later than the time. */
  readonly from: TimePoint;
  /** The running maximum as of what is applied. */
  readonly now: TimePoint;
  /** What was cut counts as one record at the cut, with the latest time before it. */
  readonly cuts: Iterable<Cut>;
}

/** The version before the first record that is later than `timeMs`. */
export function versionAtTime(timeMs: number, search: TimeSearch): ResourceVersion {
  const { log, from, now } = search;
  let end = Number.POSITIVE_INFINITY;
  for (const cut of search.cuts) if (cut.time > timeMs && cut.version < end) end = cut.version;
  if (end === Number.POSITIVE_INFINITY && now.time <= timeMs) return now.version;
  const last = Math.min(end - 1, now.version);
  for (let version = from.version + 1; version <= last; version += 1) {
    const event = log.at(resourceVersion(version));
    if (event !== undefined && event.time > timeMs) return versionBefore(event.resourceVersion);
  }
  return resourceVersion(last);
}
