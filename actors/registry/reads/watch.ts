/**
 * Watch: decides what is shown from where; the showing is the door's work.
 *
 * In Kubernetes: the watch branch of ListResource, apiserver/pkg/endpoints/handlers/get.go.
 */
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { ListOptions } from '../../../api/options/options-list.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { statusAnswer, type Answer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { invalidVersion, parseVersion, whenReadable } from './read-version.ts';
import { readSelection } from './selection-of.ts';
import type { WatchPlan } from '../../request/watch-plan.ts';
import type { ReadContext } from '../write-context.ts';

const MS = 1_000;
/** Timers count to 2^31 - 1; a client that asks for more than 24 days may come again. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

export function watch(
  context: ReadContext,
  request: AuthenticatedRequest,
  served: ServedResource,
): MaybePromise<Answer> {
  const read = readSelection(request, served, context.limits.watchLists);
  if (!read.ok) return statusAnswer(read.status);
  const { options, selection } = read;
  const show = (start: WatchPlan['start']): Answer => {
    const plan = planOf(context, served, options, {
      selection,
      start,
      ...seenFrom(context, request),
    });
    return { kind: 'Watch', served, plan };
  };
  const asked = options.resourceVersion;
  if (asked !== '' && asked !== '0' && options.sendInitialEvents !== true) {
    const version = parseVersion(asked);
    if (version === undefined) return statusAnswer(invalidVersion(asked));
    return show({ kind: 'after', version });
  }
  const { moment } = request;
  const state = moment === undefined ? 'current' : 'past';
  const kind = options.sendInitialEvents === false ? 'after' : state;
  return andThen(whenReadable(context, { asked, moment }), (readable) =>
    readable.ok ? show({ kind, version: readable.version }) : statusAnswer(readable.status),
  );
}

/** Who replays the past sees each event when it was: the state as of the moment, the rest later. */
function seenFrom(
  { log, clock }: ReadContext,
  { momentTime }: AuthenticatedRequest,
): Pick<WatchPlan, 'seenAt'> {
  if (momentTime === undefined) return {};
  return {
    seenAt: (version) => Math.max(momentTime, log.at(version)?.time ?? clock.now()),
  };
}

function planOf(
  context: ReadContext,
  { definition }: ServedResource,
  options: ListOptions,
  chosen: Pick<WatchPlan, 'selection' | 'start' | 'seenAt'>,
): WatchPlan {
  const { watchTimeoutMinMs } = context.limits;
  const seconds = options.timeoutSeconds ?? 0;
  const wantedMs =
    seconds > 0 ? seconds * MS : watchTimeoutMinMs + context.random.integer(watchTimeoutMinMs);
  return {
    ...chosen,
    resource: context.resourceViews.of(definition.storage),
    applied: context.applied,
    endOfInitialEvents: options.sendInitialEvents === true && options.allowWatchBookmarks,
    bookmarks: options.allowWatchBookmarks,
    timeoutMs: Math.min(wantedMs, TIMEOUT_MAX_MS),
  };
}
