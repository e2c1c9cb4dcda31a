/**
 * What `resourceVersion` asks of a read, and waiting until it can be had.
 *
 * In Kubernetes: the resource versions chapter of the API concepts, and NewTooLargeResourceVersionError,
 * apiserver/pkg/storage/errors.go.
 */
import { andThen, called, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { goQuote } from '../../request/message-text.ts';
import {
  badRequest,
  expired,
  serviceUnavailable,
  timedOut,
  type Status,
} from '../../../api/meta/status.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import type { ReadContext } from '../write-context.ts';

/** How long a read waits for a version that is not applied yet. */
const WAIT_MS = 3_000;

export type Readable =
  | { readonly ok: true; readonly version: ResourceVersion }
  | { readonly ok: false; readonly status: Status };

/** What a read asks for, and in which control plane. */
export interface ReadAsked {
  /** The parameter `resourceVersion`. */
  readonly asked: string;
  /** The moment that stands in the path, which is applied; undefined: now. */
  readonly moment: ResourceVersion | undefined;
  /** For whose reads it is measured how long they wait; undefined: nothing is measured. */
  readonly resource?: string | undefined;
}

/**
 * '' is now, '0' whatever is applied, N at least N. Gives what is applied then; below a moment that
 * is the moment, and what comes after it does not exist.
 */
export function whenReadable(
  context: ReadContext,
  { asked, moment, resource }: ReadAsked,
): MaybePromise<Readable> {
  if (moment !== undefined) return readableAt(moment, asked);
  if (asked === '0') return { ok: true, version: context.applied.current };
  const { reads, clock } = context;
  if (reads === undefined || resource === undefined) return whenApplied(context, asked);
  const begunAt = clock.now();
  return andThen(whenApplied(context, asked), (readable) => {
    reads.waited(resource, clock.now() - begunAt);
    return readable;
  });
}

function whenApplied(context: ReadContext, asked: string): MaybePromise<Readable> {
  if (asked === '') {
    const newest = called<ResourceVersion | undefined>((done) => {
      context.moment.newest(done);
    });
    // The fold may be further than what was asked for, and what is read now is of now.
    return andThen(newest, (version) =>
      version === undefined ? unavailable() : { ok: true, version: context.applied.current },
    );
  }
  const version = parseVersion(asked);
  if (version === undefined) return { ok: false, status: invalidVersion(asked) };
  const applied = called<boolean>((done) => {
    context.applied.whenApplied(version, WAIT_MS, done);
  });
  return andThen(applied, (isApplied) => {
    const { current } = context.applied;
    return isApplied
      ? { ok: true, version: current }
      : { ok: false, status: tooLarge(version, current) };
  });
}

function readableAt(moment: ResourceVersion, asked: string): Readable {
  const version = asked === '' ? moment : parseVersion(asked);
  if (version === undefined) return { ok: false, status: invalidVersion(asked) };
  if (version > moment) return { ok: false, status: tooLarge(version, moment) };
  return { ok: true, version: moment };
}

/** undefined: not a version. What no log will ever reach is as good as the last one. */
export function parseVersion(text: string): ResourceVersion | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  return resourceVersion(Math.min(Number(text), Number.MAX_SAFE_INTEGER));
}

/** In Kubernetes: ParseResourceVersion, apiserver/pkg/storage, as a list is refused for it. */
export function invalidVersion(text: string): Status {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  const quoted = goQuote(text);
  const problem = `strconv.ParseUint: parsing ${quoted}: ${why}`;
  const field = `resourceVersion: Invalid value: ${quoted}: ${problem}`;
  return badRequest(`invalid resource version: ${field}`);
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

function tooLarge(asked: ResourceVersion, current: ResourceVersion): Status {
  const cause = { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' };
  const text = `Too large resource version: ${String(asked)}, current: ${String(current)}`;
  return timedOut(text, 1, [cause]);
}

export function unavailable(): { readonly ok: false; readonly status: Status } {
  return { ok: false, status: serviceUnavailable('the log cannot be read at the moment', 1) };
}
