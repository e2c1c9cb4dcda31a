/**
 * Which request a subscription stands for. What it says is checked here before anything is asked, and
 * the query is put together anew, so that no client can ask for another thing in the name of a watch.
 */
import { placeOf, prefixOf, resolveRequestInfo } from '../../actors/request/request-info.ts';
import { isOwnPath } from '../../actors/request/log-request.ts';
import { LIVE_PATH } from '../../api/live/live-limits.ts';
import type { SubscribeMessage } from '../../api/live/live-messages.ts';
import { badRequest, type Status } from '../../api/meta/status.ts';
import type { Target } from '../inbound/request-reader.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';

/** Where a subscription to objects begins. */
export interface WatchBeginning {
  /** Behind this version; undefined: with the objects. */
  readonly from?: number | undefined;
  /** Of the past; undefined: now, or as the path says. */
  readonly at?: string | undefined;
}

/** What is subscribed to: objects of a resource, or the lines of an answer. */
export type Subject = { readonly kind: 'objects' | 'lines' } | { readonly refusal: Status };

/** Names and moments need no escapes. */
const PATH = /^\/[!-~]*$/;
const ESCAPED = /[%?#]/;
const DIGITS = /^(?:0|[1-9]\d{0,15})$/;
const WATCH = 'watch=1';
const SELECTORS: readonly string[] = ['labelSelector', 'fieldSelector'];

/** What is asked for, or what is wrong with it. */
export function subjectOf(asked: SubscribeMessage): Subject {
  const { path, query = '', from, at, window } = asked;
  if (!PATH.test(path) || ESCAPED.test(path)) return refused(`path is none: ${path.slice(0, 256)}`);
  if (from !== undefined && !DIGITS.test(from)) return refused('from must be a resourceVersion');
  const place = placeOf(path);
  if (isOwnPath(place.path)) {
    if (place.path.startsWith(LIVE_PATH))
      return refused('a live socket has no subscriptions to itself');
    const extra = from !== undefined || at !== undefined || window !== undefined;
    return extra ? refused('from, at and window are for objects') : { kind: 'lines' };
  }
  if (at !== undefined && place.at !== '') return refused('path has a moment already, beside at');
  if (at?.includes('/') === true || (at !== undefined && !PATH.test(`/${at}`))) {
    return refused('at must be a resourceVersion or a time');
  }
  if (at !== undefined && from !== undefined) return refused('from and at exclude each other');
  if (window !== undefined && from !== undefined)
    return refused('from and window exclude each other');
  if (window !== undefined && asked.credit !== undefined) return refused('a window has no credit');
  if (window === undefined && (asked.columns ?? asked.rate) !== undefined) {
    return refused('columns and rate are given with window');
  }
  return watchRefusal(path, query) ?? { kind: 'objects' };
}

function watchRefusal(path: string, query: string): Subject | undefined {
  for (const pair of query === '' ? [] : query.split('&')) {
    const name = pair.split('=', 1)[0] ?? '';
    if (!SELECTORS.includes(name)) {
      return refused(
        `query may have labelSelector and fieldSelector, and not ${name.slice(0, 64)}`,
      );
    }
  }
  const info = resolveRequestInfo('GET', path, 'watch=1');
  // The name of an object, or a subresource, is behind a collection.
  const isCollection = info.isResourceRequest && info.verb === 'watch' && info.parts.length === 1;
  return isCollection ? undefined : refused('path must be a collection of a resource, as in a GET');
}

function refused(message: string): Subject {
  return { refusal: badRequest(message) };
}

/** A subscription to all that is there shares its texts with its message, and its query with all others. */
export function watchTarget(
  { path, query = '', at }: SubscribeMessage,
  beginning: WatchBeginning,
): Target {
  const moment = beginning.at ?? at;
  const pairs = [WATCH];
  for (const name of SELECTORS) {
    const value = queryValue(query, name);
    if (value !== undefined) pairs.push(`${name}=${encodeURIComponent(value)}`);
  }
  if (beginning.from !== undefined) pairs.push(`resourceVersion=${String(beginning.from)}`);
  return {
    path: moment === undefined ? path : placed(path, moment),
    query: pairs.length === 1 ? WATCH : pairs.join('&'),
  };
}

/** The same path as of a moment. */
function placed(path: string, moment: string): string {
  const { fork, path: inside } = placeOf(path);
  return prefixOf({ fork, at: moment }) + inside;
}

/** The control plane that a path is in: `/forks/NAME`, or '' for the main one. */
export function planeOf(path: string): string {
  return prefixOf({ fork: placeOf(path).fork, at: '' });
}

/** Whether the path is bound to a moment. */
export function isBound({ path, at }: SubscribeMessage): boolean {
  return at !== undefined || placeOf(path).at !== '';
}
