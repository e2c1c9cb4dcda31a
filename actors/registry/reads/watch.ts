/**
 * Watch: decides what is shown from where; the showing is the door's work.
 *
 * In Kubernetes: the watch branch of ListResource, apiserver/pkg/endpoints/handlers/get.go.
 */
import { expired, notAcceptable, type Status } from '../../../api/meta/status.ts';
import type { ListOptions } from '../../../api/options/options-list.ts';
import { statusAnswer, type WatchPlan } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { servedMedia } from '../../request/routed-media.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { readPath, type Stage } from '../stage.ts';
import { noted, type Received } from '../write.ts';
import {
  awaitVersion,
  parseVersion,
  unclassifiedVersion,
  versionShown,
  type HasReached,
  type HasVersionAsked,
} from './read-version.ts';
import { selectObjects, type HasSelection } from './selection-of.ts';
import type { ReadContext } from '../write-context.ts';

const MS = 1_000;
/** Timers count to 2^31 - 1; a client that asks for more than 24 days may come again. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

type Selected = Received & HasSelection;
type Asked = Selected & HasVersionAsked;
type Reached = Asked & HasReached;

const readVersion: Stage<Selected, Asked> = {
  name: 'version',
  run(read) {
    const { resourceVersion } = read.listOptions;
    if (resourceVersion !== '' && parseVersion(resourceVersion) === undefined) {
      return statusAnswer(unclassifiedVersion(resourceVersion));
    }
    // The session itself waits for a version of the future.
    const asked = beginsAfter(read) ? '0' : resourceVersion;
    return noted(read, { asked, waitsSince: undefined });
  },
};

/** Whether it shows what comes after a version that the client knows, and nothing that is there. */
function beginsAfter({ listOptions }: Selected): boolean {
  const { resourceVersion: asked, sendInitialEvents } = listOptions;
  return asked !== '' && asked !== '0' && sendInitialEvents !== true;
}

/** No document of YAML ends where the next one begins. The form of a stream is looked at when all else is known. */
const refuseForm: Stage<Reached, Reached> = {
  name: 'form',
  run(read) {
    const isStream = read.request.accepted?.type !== 'yaml';
    return isStream ? read : statusAnswer(notAcceptable(servedMedia(read.request).streams));
  },
};

const planWatch: Stage<Reached, Reached> = {
  name: 'plan',
  run(read, context) {
    const { request, served, listOptions, selection } = read;
    const start = startOf(read, context);
    if (!start.ok) return statusAnswer(start.status);
    const seenAt = seenFrom(context, request);
    const resource = watchedResource(context, read);
    const plan = planOf(context, listOptions, { selection, resource, start: start.start, seenAt });
    return { kind: 'Watch', served, plan };
  },
};

type Start =
  | { readonly ok: true; readonly start: WatchPlan['start'] }
  | { readonly ok: false; readonly status: Status };

function startOf(read: Reached, context: ReadContext): Start {
  const { request, listOptions } = read;
  const version = beginsAfter(read) ? parseVersion(listOptions.resourceVersion) : undefined;
  if (version !== undefined) {
    const isTooNew = isStill(request) && version > request.moment;
    if (isTooNew) return { ok: false, status: laterThan(request.moment, version) };
    return { ok: true, start: { kind: 'after', version } };
  }
  const readable = versionShown(read, context);
  if (!readable.ok) return readable;
  const state = request.moment === undefined ? 'current' : 'past';
  const kind = listOptions.sendInitialEvents === false ? 'after' : state;
  return { ok: true, start: beginning(kind, readable.version) };
}

let newest: WatchPlan['start'] | undefined;

/** Each watch holds one, and thousands begin at the same version. */
function beginning(kind: WatchPlan['start']['kind'], version: ResourceVersion): WatchPlan['start'] {
  if (newest?.kind !== kind || newest.version !== version) newest = { kind, version };
  return newest;
}

/** 410 has every client list again, and then it knows the moment; 504 ends some for good. */
function laterThan(moment: ResourceVersion, version: ResourceVersion): Status {
  const which = `${String(version)} is later than ${String(moment)}`;
  return expired(`resource version ${which}, at which everything stands still below this path`);
}

type StillRequest = AuthenticatedRequest & { readonly moment: ResourceVersion };

function isStill(request: AuthenticatedRequest): request is StillRequest {
  return request.info.isStill && request.moment !== undefined;
}

function watchedResource(
  { resourceViews }: ReadContext,
  { request, served }: Reached,
): WatchPlan['resource'] {
  const resource = resourceViews.of(served.definition.storage);
  if (!isStill(request)) return resource;
  return { ...resource, watch: resource.watch.until(request.moment) };
}

export const WATCH = readPath('watch')(
  selectObjects(({ limits }) => limits.watchLists),
  readVersion,
  awaitVersion,
  refuseForm,
  planWatch,
);

/** A watch of the past sees each event when it was: the state as of the moment, the rest later. */
function seenFrom(
  { log, clock }: ReadContext,
  { momentTime }: AuthenticatedRequest,
): WatchPlan['seenAt'] {
  if (momentTime === undefined) return undefined;
  return (version) => Math.max(momentTime, log.at(version)?.time ?? clock.now());
}

type ChosenObjects = Pick<WatchPlan, 'selection' | 'resource' | 'start' | 'seenAt'>;

function planOf(
  context: ReadContext,
  options: ListOptions,
  { selection, resource, start, seenAt }: ChosenObjects,
): WatchPlan {
  const { watchTimeoutMinMs } = context.limits;
  const seconds = options.timeoutSeconds ?? 0;
  const wantedMs =
    seconds > 0 ? seconds * MS : watchTimeoutMinMs + context.random.integer(watchTimeoutMinMs);
  // Field by field: a plan is held as long as its watch, and what is copied in takes three times the room.
  return {
    selection,
    resource,
    start,
    seenAt,
    applied: context.applied,
    endOfInitialEvents: options.sendInitialEvents === true && options.allowWatchBookmarks,
    bookmarks: options.allowWatchBookmarks,
    timeoutMs: Math.min(wantedMs, TIMEOUT_MAX_MS),
  };
}
