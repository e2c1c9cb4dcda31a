/**
 * What a request needs beside, or instead of, being allowed as it stands: requests for the log, and
 * requests that would open a fork or look for a moment though no object is asked for.
 *
 * The log has a resource of its own, `logs.dev.everwatch`, which nothing serves: like `users` for
 * impersonation it is there for rules to name it.
 */
import { FORK_GROUP, FORK_VERSION, FORKS } from '../../api/everwatch/fork-facts.ts';
import { LIVE_EVENTS_PATH, LIVE_PATH } from '../../api/live/live-limits.ts';
import { isOwnPath, logScopeOf, type LoggedKind, type LoggedName } from '../request/log-request.ts';
import { isHeadlampUser, isPageRead } from '../request/page-paths.ts';
import { NO_REQUEST_INFO } from '../request/request-info.ts';
import type { RequestInfo } from '../request/request.ts';

export interface NeededAccess {
  /** Each has to be allowed; asked in this order, and the first that is not is told. */
  readonly all: Several;
  /** If one of these is not allowed, the request is answered as if its path had no place in front. */
  readonly toEnter?: Several;
}

type Several = readonly [RequestInfo, ...RequestInfo[]];

const OWN_RESOURCE: RequestInfo = {
  ...NO_REQUEST_INFO,
  isResourceRequest: true,
  apiPrefix: 'apis',
  apiGroup: FORK_GROUP,
  apiVersion: FORK_VERSION,
  verb: 'get',
};

const LOG: RequestInfo = { ...OWN_RESOURCE, resource: 'logs' };

/** undefined: that the request itself is allowed is enough. */
export function neededAccess(info: RequestInfo, query: string): NeededAccess | undefined {
  if (isPageRead(info)) return undefined;
  if (isLive(info) || isHeadlampUser(info)) return { all: [{ ...info, path: DISCOVERY_PATH }] };
  if (!info.isResourceRequest && isOwnPath(info.path)) return { all: accessToLog(info, query) };
  if (info.fork === '' && info.at === '') return undefined;
  if (info.isResourceRequest && !isReview(info)) return undefined;
  return { all: [info], toEnter: placesOf(info) };
}

/** Of which every authenticated user is told by default. */
const DISCOVERY_PATH = '/api';

/** A socket shows nothing by itself: each of its subscriptions is a request that is asked for its own right. */
function isLive({ isResourceRequest, path, fork, at }: RequestInfo): boolean {
  if (isResourceRequest || fork !== '' || at !== '') return false;
  return path === LIVE_PATH || path === LIVE_EVENTS_PATH;
}

/**
 * Every user may ask for his own rights, and the main control plane decides them for all forks.
 * Below `/at/` alone nothing is posted, and that is answered before a moment is looked for.
 */
function isReview({ apiGroup, fork }: RequestInfo): boolean {
  if (fork === '') return false;
  return apiGroup === 'authorization.k8s.io' || apiGroup === 'authentication.k8s.io';
}

/** A fork is an object; a moment is a position in the log. */
function placesOf({ fork, at }: RequestInfo): Several {
  if (fork === '') return [LOG];
  const own = { ...OWN_RESOURCE, resource: FORKS, name: fork };
  return at === '' ? [own] : [own, LOG];
}

function accessToLog(info: RequestInfo, query: string): Several {
  const scope = logScopeOf(info.path, query);
  switch (scope.kind) {
    case 'object':
      return [onObject('get', scope.of)];
    case 'shred':
      return [info, onObject('delete', scope.of)];
    case 'reset':
      return [info, { ...list({ group: '*', resource: '*' }), verb: '*' }];
    case 'extent':
      return [info, LOG];
    case 'resource':
      return [info, LOG, list(scope.of)];
    case 'everything':
      return [info, LOG, list({ group: '*', resource: '*' })];
  }
}

function list({ group, resource }: LoggedKind): RequestInfo {
  return {
    ...OWN_RESOURCE,
    apiPrefix: '',
    apiGroup: group,
    apiVersion: '',
    resource,
    verb: 'list',
  };
}

/** A Namespace is in itself, as the path `/api/v1/namespaces/NAME` has it. */
function onObject(verb: string, { namespace, name, ...kind }: LoggedName): RequestInfo {
  const isNamespace = kind.group === '' && kind.resource === 'namespaces' && namespace === '';
  return { ...list(kind), verb, namespace: isNamespace ? name : namespace, name };
}
