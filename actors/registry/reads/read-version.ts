/**
 * What `resourceVersion` asks of a read, and waiting until it can be had.
 *
 * In Kubernetes: the resource versions chapter of the API concepts, and NewTooLargeResourceVersionError,
 * apiserver/pkg/storage/errors.go.
 */
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import {
  badRequest,
  expired,
  serviceUnavailable,
  timedOut,
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { waitingStage } from '../stage.ts';
import { noted, type Received } from '../write.ts';
import type { ReadContext } from '../write-context.ts';

/** How long a read waits for a version that is not applied yet. */
const WAIT_MS = 3_000;

/** A version that can be read, or why there is none. */
export type Readable =
  | { readonly ok: true; readonly version: ResourceVersion }
  | { readonly ok: false; readonly status: Status };

/** Which version a read asks for. */
export interface VersionAsked {
  /** The parameter `resourceVersion`: '' is now, '0' whatever is applied, N at least N. */
  readonly asked: string;
  /** The moment that stands in the path, which is applied; undefined: now. */
  readonly moment: ResourceVersion | undefined;
}

/** Whether what was asked for is applied; of now it is a version. */
export type Reached = ResourceVersion | boolean | undefined;

/** Waits until the version that is asked for is applied, or known not to be in time. Never rejects. */
export function reach(
  context: ReadContext,
  { asked, moment }: VersionAsked,
): MaybePromise<Reached> {
  if (moment !== undefined || asked === '0') return true;
  if (asked === '') return context.moment.newest();
  const version = parseVersion(asked);
  return version === undefined ? false : context.applied.whenApplied(version, WAIT_MS);
}

/**
 * The version that a read shows, once {@link reach} has waited: what is applied, or below a moment
 * the moment, and what comes after it does not exist.
 *
 * The surprise: objects that are shown as of this version must be read in the same turn of the event
 * loop, because the fold goes on meanwhile.
 */
export function readableVersion(
  { applied }: Pick<ReadContext, 'applied'>,
  { asked, moment }: VersionAsked,
  reached: Reached,
): Readable {
  if (moment !== undefined) return readableAt(moment, asked);
  const { current } = applied;
  // The fold may be further than what was asked for, and what is read now is of now.
  if (asked === '') return reached === undefined ? unavailable() : { ok: true, version: current };
  if (asked === '0') return { ok: true, version: current };
  const version = parseVersion(asked);
  if (version === undefined) return { ok: false, status: invalidVersion(asked) };
  return reached === true
    ? { ok: true, version: current }
    : { ok: false, status: tooLarge(version, current, SOON_SECONDS) };
}

/** What a read notes before it waits for its version. */
export interface HasVersionAsked {
  /** See {@link VersionAsked}. */
  readonly asked: string;
  /** Since when it waits, in milliseconds since 1970; undefined: its waiting is not measured. */
  readonly waitsSince: number | undefined;
}

export interface HasReached {
  readonly reached: Reached;
}

type Waiting = Received & HasVersionAsked;

/** In each read, before anything is looked at. */
export const awaitVersion = waitingStage<Waiting, Waiting & HasReached, Reached>('await version', {
  find: (read, context) => reach(context, askedBy(read)),
  take(read, reached, { reads, clock }) {
    const { waitsSince, served, request } = read;
    if (waitsSince !== undefined && read.asked !== '0' && request.moment === undefined) {
      reads?.waited(served.definition.storage, clock.now() - waitsSince);
    }
    return noted(read, { reached });
  },
});

/** {@link readableVersion} of a read that has waited. */
export function versionShown(read: Waiting & HasReached, context: ReadContext): Readable {
  return readableVersion(context, askedBy(read), read.reached);
}

function askedBy({ asked, request }: Waiting): VersionAsked {
  return { asked, moment: request.moment };
}

function readableAt(moment: ResourceVersion, asked: string): Readable {
  const version = asked === '' ? moment : parseVersion(asked);
  if (version === undefined) return { ok: false, status: invalidVersion(asked) };
  if (version > moment) return { ok: false, status: tooLarge(version, moment, NEVER) };
  return { ok: true, version: moment };
}

/** undefined: not a version. What no log will ever reach is as good as the last one. */
export function parseVersion(text: string): ResourceVersion | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  return resourceVersion(Math.min(Number(text), Number.MAX_SAFE_INTEGER));
}

/** In Kubernetes: ParseResourceVersion, apiserver/pkg/storage, as a list is refused for it. */
export function invalidVersion(text: string): Status {
  return badRequest(`invalid resource version: ${whyInvalid(text)}`);
}

/** As a get and a watch are refused for it, whose error kube-apiserver does not take for the client's. */
export function unclassifiedVersion(text: string): Status {
  return unclassifiedFailure(whyInvalid(text));
}

function whyInvalid(text: string): string {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  const quoted = goQuote(text);
  const problem = `strconv.ParseUint: parsing ${quoted}: ${why}`;
  return `resourceVersion: Invalid value: ${quoted}: ${problem}`;
}

/** 410 when what a resource was at the version is no longer kept; ask behind a settled history. */
export function goneBefore(
  { history }: Pick<ReadContext, 'history'>,
  resource: string,
  version: ResourceVersion,
): Status | undefined {
  const since = history.readableSince(resource);
  if (version >= since) return undefined;
  return expired(`too old resource version: ${String(version)} (${String(since)})`);
}

/** After that the views may have come further. */
const SOON_SECONDS = 1;
/** A moment gets no further: client-go would wait and ask ten times, and told so it lists anew at once. */
const NEVER = 0;

function tooLarge(
  asked: ResourceVersion,
  current: ResourceVersion,
  retryAfterSeconds: number,
): Status {
  const cause = { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' };
  const text = `Too large resource version: ${String(asked)}, current: ${String(current)}`;
  return timedOut(text, retryAfterSeconds, [cause]);
}

export function unavailable(): { readonly ok: false; readonly status: Status } {
  return { ok: false, status: serviceUnavailable('the log cannot be read at the moment', 1) };
}
