/** What happens to the objects of a resource while time runs on in the past. */
import type { WatchPlan } from '../../actors/request/answer.ts';
import { changeSeen, type WatchEvent } from '../../projections/watch/watch-event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

/** Beyond that a state is shown in place of the way there. */
const PORTION = { events: 2_000, bytes: 4 * 1024 * 1024 };

export interface Journey {
  /** The version of the time. */
  readonly version: ResourceVersion;
  /** What a watch would have shown; undefined: too much. */
  readonly changes: readonly WatchEvent[] | undefined;
}

/** @throws LogTrimmedError as a rejection: the log was cut behind the version. */
export async function changesUntil(
  { resource, selection, applied }: WatchPlan,
  after: ResourceVersion,
  time: number,
): Promise<Journey> {
  await resource.history.settled();
  const found = resource.history.versionAtTime(time, resource.log) ?? after;
  const newest = found < applied.current ? found : applied.current;
  const version = newest > after ? newest : after;
  const { events, more } = await resource.watch.changesAfter(after, PORTION);
  const last = events.at(-1)?.resourceVersion ?? after;
  if (more && last < version) return { version, changes: undefined };
  const passed = events.filter(({ resourceVersion }) => resourceVersion <= version);
  return { version, changes: passed.flatMap((event) => changeSeen(selection, event) ?? []) };
}
