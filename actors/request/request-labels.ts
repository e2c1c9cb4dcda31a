/**
 * Which figures a request counts towards. The labels are few by construction: resources that
 * are not served and paths that nobody knows share one set each, whatever clients invent.
 *
 * In Kubernetes: CleanVerb, CleanScope and cleanDryRun, apiserver/pkg/endpoints/metrics.
 */
import type { RequestInfo, RoutedRequest } from './request.ts';
import { queryValues } from '../../api/meta/url-query.ts';

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

/** The path's first part as it stands in the label `subresource`; '' for one nobody knows. */
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
