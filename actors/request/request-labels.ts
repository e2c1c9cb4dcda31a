/**
 * Which figures a request counts towards. The labels are few by construction: resources that
 * are not served and paths that are not known share one set each, whatever clients invent.
 *
 * In Kubernetes: CleanVerb, CleanScope and cleanDryRun, apiserver/pkg/endpoints/metrics.
 *
 * What the filters tell the meters about each request. gateway/metrics implements it.
 *
 * Which requests may stay open as long as they like: they have no deadline, and a shutdown does not
 * wait for them.
 *
 * In Kubernetes: BasicLongRunningRequestCheck, as kube-apiserver sets it up.
 */
import type { Outcome, RequestInfo, RoutedRequest } from './request.ts';
import { queryValues } from '../../api/meta/web-addresses.ts';
import { LIVE_EVENTS_PATH, LIVE_PATH } from '../../api/live/live-limits.ts';
import { HEADLAMP_SOCKET_PATH } from './page-paths.ts';
import { CHANGES_PATH, FIGURES_PATH, LOG_PATH } from './log-request.ts';

/**
 * The label `scope`: one object, the objects of a namespace, or those of all; '' for other paths.
 */
export type Scope = 'resource' | 'namespace' | 'cluster' | '';

/** The verb as meters name it, in upper case: GETs of many are LISTs. */
export function reportedVerb(request: RoutedRequest, scope: Scope): string {
  const { method, info, headers } = request;
  if (info.isResourceRequest && info.subresource !== '' && CONNECTS.has(info.subresource)) {
    return 'CONNECT';
  }
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (info.verb === 'watch') return 'WATCH';
      return scope === 'resource' || scope === '' ? 'GET' : 'LIST';
    case 'PATCH':
      return headers['content-type'] === 'application/apply-patch+yaml' ? 'APPLY' : 'PATCH';
    case 'POST':
    case 'PUT':
    case 'DELETE':
      return method;
    default:
      return 'other';
  }
}

const CONNECTS: ReadonlySet<string> = new Set(['log', 'exec', 'portforward', 'attach', 'proxy']);

/** A create counts as `resource` although its URL names no object, as upstream has it. */
export function scopeOf(info: RequestInfo): Scope {
  if (!info.isResourceRequest) return '';
  const isOfMany = info.verb === 'list' || info.verb === 'watch';
  if ((info.name !== '' && !isOfMany) || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

/** '', `All` or `invalid`. */
export function dryRunOf(query: string): string {
  if (!query.includes('dryRun')) return '';
  const values = queryValues(query, 'dryRun');
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}

/** The path's first part as it stands in the label `subresource`; '' for one that is not known. */
export function knownPath(path: string): string {
  const end = path.indexOf('/', 1);
  const first = end < 0 ? path : path.slice(0, end);
  return KNOWN_PATHS.get(first) ?? '';
}

const KNOWN_PATHS: ReadonlyMap<string, string> = new Map(
  ['/api', '/apis', '/healthz', '/livez', '/metrics', '/openapi', '/readyz', '/version'].map(
    (path) => [path, path],
  ),
);

/** What the filters tell of requests; every duration is in milliseconds. */
export interface RequestMetrics {
  /** The request is known for what it is and on its way. */
  begun(request: RoutedRequest): void;
  /** The last byte of its answer has gone, or its client has. Called once for every `begun`. */
  ended(request: RoutedRequest, outcome: Outcome, durationMs: number): void;
  /** The server answers so to save itself: it is too late, or there is no room. */
  terminated(request: RoutedRequest, code: number): void;
}

const SUBRESOURCES: ReadonlySet<string> = new Set([
  'attach',
  'exec',
  'proxy',
  'log',
  'portforward',
]);

/** The log as a stream, and live sockets, of which there is no counterpart in Kubernetes. */
const LONG_PATHS: ReadonlySet<string> = new Set([
  LOG_PATH,
  `${LOG_PATH}/state`,
  CHANGES_PATH,
  FIGURES_PATH,
  LIVE_PATH,
  LIVE_EVENTS_PATH,
  HEADLAMP_SOCKET_PATH,
]);

/** Watches, proxies, logs, exec, attach and port-forward, profiles, and reads of the event log. */
export function isLongRunning(info: RequestInfo): boolean {
  if (info.verb === 'watch' || info.verb === 'proxy') return true;
  if (info.isResourceRequest) return info.subresource !== '' && SUBRESOURCES.has(info.subresource);
  return LONG_PATHS.has(info.path) || info.path.startsWith('/debug/pprof/');
}
