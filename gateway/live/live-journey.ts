/** What happens to the objects of a resource while time runs on in the past. */
import type { WatchPlan } from '../../actors/request/answer.ts';
import { changeSeen, type WatchEvent } from '../../projections/watch/watch-event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { chunkToCome, type RenderedLater } from '../watch/chunk-to-come.ts';
import type { WatchEncoder } from '../watch/watch-encoder.ts';

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
  { resource, selection, applied }: Pick<WatchPlan, 'resource' | 'selection' | 'applied'>,
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

/** A way there as a watch would have written it. */
interface WrittenJourney extends Pick<Journey, 'version'> {
  /** Empty: nothing has changed. undefined: too much; or why an object cannot be shown. */
  readonly chunk: RenderedLater | undefined;
}

interface Watched {
  readonly plan: WatchPlan;
  readonly shape: WatchEncoder;
}

/** @throws LogTrimmedError as {@link changesUntil}. */
export async function chunkUntil(
  { plan, shape }: Watched,
  after: ResourceVersion,
  time: number,
): Promise<WrittenJourney> {
  // The fields of what a webhook converts are not known before.
  const { selection } = shape;
  const { version, changes } = await changesUntil({ ...plan, selection }, after, time);
  if (changes === undefined) return { version, chunk: undefined };
  if (changes.length === 0) return { version, chunk: NOTHING };
  const chunk = shape.render(changes);
  return { version, chunk: (await chunkToCome(chunk)?.()) ?? chunk };
}

const NOTHING = Buffer.alloc(0);
