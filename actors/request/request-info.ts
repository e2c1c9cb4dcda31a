/**
 * What a request is about, read from its method, path and query alone. In front of the path of an ordinary
 * API server may stand which control plane is meant, and when.
 *
 * It never fails: a path that names no resource is a request for a path. The one malformed
 * form that upstream refuses, `/api/v1/watch` with nothing behind it, comes back as a
 * resource request without parts; `isMalformed` knows it. No regular expression and no URL
 * object, for every request passes here.
 *
 * In Kubernetes: RequestInfoFactory, apiserver/pkg/endpoints/request.
 */
import { nameInListOptions } from '../../api/options/options-list.ts';
import { percentDecode, queryValue } from '../../api/meta/web-addresses.ts';

/** A user as authenticators know it. In Kubernetes: user.Info. */
export interface UserInfo {
  /** As audit and authorization know it: `system:serviceaccount:default:ci`. */
  readonly name: string;
  /** '' where the authenticator knows none. */
  readonly uid: string;
  /** In the order in which the authenticator gave them. */
  readonly groups: readonly string[];
  /** What the authenticator knows besides, by key. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** In Kubernetes: RequestInfo, apiserver/pkg/endpoints/request. */
export interface RequestInfo {
  /** The fork that is asked, by its name; '' for the main control plane. */
  readonly fork: string;
  /** The moment that is asked for, as it stands behind `/at/`: a version or a time; '' for now. */
  readonly at: string;
  /** Whether a watch shows that moment alone, and nothing that came after it; false for now. */
  readonly isStill: boolean;
  /** False for a path like `/healthz`, which has a verb and a path alone. */
  readonly isResourceRequest: boolean;
  /** Without the prefixes that name a fork or a moment. */
  readonly path: string;
  /** `get`, `list`, `watch`, …; for a path that is no resource the HTTP method in lower case. */
  readonly verb: string;
  /** `api` or `apis`; '' where the path is no resource. */
  readonly apiPrefix: string;
  /** '' is the group of the core. */
  readonly apiGroup: string;
  /** Without its group: `v1`. */
  readonly apiVersion: string;
  /** '' for all namespaces, and for cluster scope; a namespace itself is in its own. */
  readonly namespace: string;
  /** The plural name. */
  readonly resource: string;
  /** '' for the resource itself. */
  readonly subresource: string;
  /** '' where the path names no object, and no field selector does. */
  readonly name: string;
  /** The path behind the group version: `['namespaces', 'a', 'pods', 'b', 'status']` gives `['pods', 'b', 'status']`. */
  readonly parts: readonly string[];
  /** As in the query; '' for none. */
  readonly fieldSelector: string;
  /** As in the query; '' for none. */
  readonly labelSelector: string;
}

interface RequestPlace {
  /** '' for the main control plane. */
  readonly fork: string;
  /** A version or a time, as it was sent; '' for now. */
  readonly at: string;
  /** Whether `/still` stands behind the moment. */
  readonly isStill: boolean;
  /** What is left; `/` when nothing is. */
  readonly path: string;
}

type PlaceNamed = Pick<RequestPlace, 'fork' | 'at'> & Partial<Pick<RequestPlace, 'isStill'>>;

const FORKS = '/forks/';
const AT = '/at/';
const STILL = '/still';

/**
 * Which control plane, and when: `/forks/NAME` and `/at/MOMENT` in front of a path, each at most
 * once and in this order; behind a moment may stand `/still`. Everything behind them is the path of an ordinary API server, so a
 * client needs nothing but another server URL: `kubectl --server https://HOST/forks/try/at/1234`.
 *
 * Nothing in Kubernetes has its place there: kube-apiserver answers 404 for both.
 *
 * @param path decoded.
 */
export function placeOf(path: string): RequestPlace {
  const fork = path.startsWith(FORKS) ? cut(path, FORKS.length) : undefined;
  const inFork = fork?.rest ?? path;
  const at = inFork.startsWith(AT) ? cut(inFork, AT.length) : undefined;
  const still = at === undefined ? undefined : behindStill(at.rest);
  return {
    fork: fork?.name ?? '',
    at: at?.name ?? '',
    isStill: still !== undefined,
    path: still ?? at?.rest ?? inFork,
  };
}

/** How a path of this place begins: '' for the main control plane, now. */
export function prefixOf({ fork, at, isStill = false }: PlaceNamed): string {
  const moment = at === '' ? '' : AT + at + (isStill ? STILL : '');
  return (fork === '' ? '' : FORKS + fork) + moment;
}

/** undefined where `/still` does not stand in front. */
function behindStill(path: string): string | undefined {
  if (!path.startsWith(STILL)) return undefined;
  if (path.length === STILL.length) return '/';
  return path.charCodeAt(STILL.length) === SLASH ? path.slice(STILL.length) : undefined;
}

/** undefined where there is no name: the path is what it is. */
function cut(
  path: string,
  start: number,
): { readonly name: string; readonly rest: string } | undefined {
  const slash = path.indexOf('/', start);
  const end = slash < 0 ? path.length : slash;
  if (end === start) return undefined;
  return { name: path.slice(start, end), rest: end === path.length ? '/' : path.slice(end) };
}

const NO_PARTS: readonly string[] = [];

/** What is asked of authorizers about something that was not sent begins with this. */
export const NO_REQUEST_INFO: RequestInfo = {
  fork: '',
  at: '',
  isStill: false,
  isResourceRequest: false,
  path: '',
  verb: '',
  apiPrefix: '',
  apiGroup: '',
  apiVersion: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: NO_PARTS,
  fieldSelector: '',
  labelSelector: '',
};

/** `path` and `query` as they were sent: still escaped, the query without its question mark. */
export function resolveRequestInfo(method: string, path: string, query: string): RequestInfo {
  const place = placeOf(percentDecode(path) ?? path);
  // What is added stands in front: behind a spread, Node 20 adds each key by a call of about 1 µs.
  const target = { method, query, ...place };
  const parts = splitPath(place.path);
  const prefix = parts[0];
  if (parts.length >= 3 && prefix === 'api') return resourceInfo(target, parts, 1);
  if (prefix !== 'apis') return pathInfo(target, '');
  if (parts.length >= 4) return resourceInfo(target, parts, 2);
  return pathInfo(target, parts.length === 3 ? prefix : '');
}

/** Whether upstream could not make out what the request is for and answers 500. */
export function isMalformed(info: RequestInfo): boolean {
  return info.isResourceRequest && info.parts.length === 0;
}

/** The segments of a path, without the slashes at its ends. */
export function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === SLASH) start += 1;
  while (end > start && path.charCodeAt(end - 1) === SLASH) end -= 1;
  const segments: string[] = [];
  if (start === end) return segments;
  // `split` makes a list of places first, and takes twice as long.
  let slash = path.indexOf('/', start);
  while (slash >= 0 && slash < end) {
    segments.push(path.slice(start, slash));
    start = slash + 1;
    slash = path.indexOf('/', start);
  }
  segments.push(path.slice(start, end));
  return segments;
}

const SLASH = 0x2f;

/** Upstream has noted the prefix by the time it finds `/apis/g/v` too short, and keeps it. */
function pathInfo({ method, query: _, ...place }: RequestTarget, apiPrefix: string): RequestInfo {
  return { ...NO_REQUEST_INFO, ...place, verb: method.toLowerCase(), apiPrefix };
}

interface RequestTarget extends RequestPlace {
  readonly method: string;
  readonly query: string;
}

/** `versionAt` is where the version stands in `segments`. */
function resourceInfo(
  target: RequestTarget,
  segments: readonly string[],
  versionAt: number,
): RequestInfo {
  let at = versionAt + 1;
  const verbInPath = segments[at] === 'watch' || segments[at] === 'proxy';
  let verb = verbInPath ? (segments[at] ?? '') : verbOf(target.method);
  if (verbInPath) at += 1;

  let namespace = '';
  if (segments[at] === 'namespaces') {
    namespace = segments[at + 1] ?? '';
    const inside = segments[at + 2];
    // `/namespaces/a/status` is a subresource of the namespace; all else is a resource in it.
    if (inside !== undefined && inside !== 'status' && inside !== 'finalize') at += 2;
  }

  const parts = segments.slice(at);
  let name = parts[1] ?? '';
  if (name === '' && verb === 'get') {
    verb = isWatch(target.query) ? 'watch' : 'list';
    name = target.query === '' ? '' : nameInListOptions(target.query);
  }
  if (name === '' && verb === 'delete') verb = 'deletecollection';
  const selects = !verbInPath && takesSelectors(verb) && target.query !== '';

  return {
    fork: target.fork,
    at: target.at,
    isStill: target.isStill,
    isResourceRequest: true,
    path: target.path,
    verb,
    apiPrefix: segments[0] ?? '',
    apiGroup: versionAt === 2 ? (segments[1] ?? '') : '',
    apiVersion: segments[versionAt] ?? '',
    namespace,
    resource: parts[0] ?? '',
    subresource: verb === 'proxy' ? '' : (parts[2] ?? ''),
    name,
    parts,
    fieldSelector: selects ? (queryValue(target.query, 'fieldSelector') ?? '') : '',
    labelSelector: selects ? (queryValue(target.query, 'labelSelector') ?? '') : '',
  };
}

function verbOf(method: string): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
    default:
      return '';
  }
}

function takesSelectors(verb: string): boolean {
  return verb === 'list' || verb === 'watch' || verb === 'deletecollection';
}

/** As upstream reads a boolean: there, and neither `false` nor `0`. */
function isWatch(query: string): boolean {
  if (query === '') return false;
  const value = queryValue(query, 'watch');
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}
