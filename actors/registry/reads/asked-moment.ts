/**
 * Which moment stands behind `/at/`: a resourceVersion, or a time that is looked up in the log; and
 * the context as of that moment, in which a lookup finds the object of then. So a get, a scale, and
 * what a dry run would make of an object need not know that it is the past.
 *
 * A time is the version before the first record with a later one. While there is no later record
 * it is not settled yet: then the log is asked for what others may have written before that time.
 */
import { badRequest, expired, type Status } from '../../../api/meta/status.ts';
import { parseTime } from '../../../api/scheme/typed-json-scalars.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import { parseVersion, unavailable } from './read-version.ts';
import type { ReadContext, WriteContext } from '../write-context.ts';
import { ObjectsAt } from '../../../projections/past/objects-at.ts';

interface Moment {
  readonly ok: true;
  readonly version: ResourceVersion;
  /** Milliseconds since 1970. */
  readonly time: number;
}

type FoundMoment = Moment | { readonly ok: false; readonly status: Status };

const MS = 1_000;
const NS_PER_MS = 1_000_000;
/** So far back the log is searched for a record when the version itself has none, as a gap. */
const GAP_MAX = 1_024;

/**
 * A version that is applied, and whose history can be read in this turn.
 *
 * @param asked as it stands in the path.
 * @throws what the history throws when it cannot be read.
 */
export async function findMoment(context: ReadContext, asked: string): Promise<FoundMoment> {
  if (!/^\d+$/.test(asked)) return momentOfTime(context, asked);
  if (parseVersion(asked) === undefined) return { ok: false, status: notAMoment(asked) };
  // Version 0 is the beginning here; of a plain read it would ask for anything.
  if (Number(asked) === 0) return { ok: true, version: resourceVersion(0), time: 0 };
  const version = resourceVersion(Number(asked));
  // Clients ask again and again where they are told that a version is not there yet.
  const newest = version <= context.applied.current ? version : await context.moment.newest();
  if (newest === undefined) return unavailable();
  if (version > newest) return future(asked, `the newest version is ${String(newest)} here`);
  await context.history.settled();
  return { ok: true, version, time: timeBefore(context, version) ?? context.clock.now() };
}

async function momentOfTime(context: ReadContext, asked: string): Promise<FoundMoment> {
  const time = parseMoment(asked);
  if (time === undefined) return { ok: false, status: notAMoment(asked) };
  const now = context.clock.now();
  if (time > now) {
    return future(asked, `it is ${new Date(now).toISOString()} here`);
  }
  const known = await versionAt(context, time);
  if (known === undefined || known < context.applied.current)
    return momentOr410(known, time, asked);
  if ((await context.moment.newest()) === undefined) return unavailable();
  return momentOr410(await versionAt(context, time), time, asked);
}

function future(asked: string, because: string): FoundMoment {
  const message = `invalid moment ${goQuote(asked)}: it lies in the future, ${because}`;
  return { ok: false, status: badRequest(message) };
}

async function versionAt(context: ReadContext, time: number): Promise<ResourceVersion | undefined> {
  await context.history.settled();
  return context.history.versionAtTime(time, context.log);
}

function momentOr410(
  version: ResourceVersion | undefined,
  time: number,
  asked: string,
): FoundMoment {
  if (version !== undefined) return { ok: true, version, time };
  const message = `too old moment: ${asked} lies before everything that is retained`;
  return { ok: false, status: expired(message) };
}

/** Milliseconds since 1970, rounded down; undefined when it is no RFC 3339 time. */
function parseMoment(text: string): number | undefined {
  const parsed = parseTime(text, 'seconds');
  if (!parsed.ok) return undefined;
  return parsed.unixSeconds * MS + Math.floor(parsed.nanoseconds / NS_PER_MS);
}

/** The time of the newest record at the version or before it; undefined where none is near. */
function timeBefore({ log }: ReadContext, version: ResourceVersion): number | undefined {
  for (let at = version; at > Math.max(0, version - GAP_MAX); at = resourceVersion(at - 1)) {
    const record = log.at(at);
    if (record !== undefined) return record.time;
  }
  return undefined;
}

function notAMoment(asked: string): Status {
  const forms = 'a resourceVersion like 1234, or a time like 2026-11-20T10:00:00Z';
  return badRequest(`invalid moment ${goQuote(asked)}: behind /at/ must stand ${forms}`);
}

/** @param moment applied, and with a history that has settled since. */
export function pastContext<Context extends WriteContext>(
  context: Context,
  moment: ResourceVersion,
): Context {
  return {
    ...context,
    objects: new ObjectsAt((resource) => context.resourceViews.pastOf(resource), moment),
  };
}
