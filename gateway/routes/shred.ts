/**
 * `POST /everwatch/v1/shred?resource=core/secrets&path=shop/db`: forgets objects for good. Of all that
 * were ever there under the path and do not exist any more, the keys are destroyed, so no reader can read
 * again what the log says of them: not from a copy of the log either, as long as he has no copy of the
 * keys. One that exists keeps its past, also where it exists in a fork only; it has to be deleted first.
 */
import { UNAUTHENTICATED_GROUP } from '../../actors/authentication/server-authenticator.ts';
import { attributesOf, describe } from '../../actors/authorization/authorizer.ts';
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import { SHRED_PATH } from '../../actors/request/log-request.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { badRequest, conflict, forbidden, methodNotAllowed } from '../../api/meta/status.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { nameOf } from '../../streams/event.ts';
import { jsonAnswer, type Route } from './route.ts';

/** What has the keys. */
export interface Shredder {
  /** The uids of all objects there ever were under a path whose keys are still there. */
  ofPath(resource: string, path: string): Promise<readonly string[]>;
  /** Resolves when no server can open any more what was sealed under their keys. */
  destroy(uids: readonly string[]): Promise<void>;
  /** Tells of resources of which something was destroyed, by this server or another. */
  whenForgotten(forget: (resource: string) => void): void;
}

/** Which forks have an object under a path: their names, by the uid of the object. */
export type LiveInForks = (
  request: AuthenticatedRequest,
  resource: string,
  path: string,
) => Promise<ReadonlyMap<string, string>>;

export interface ShredRouteParts {
  /** undefined: nothing is encrypted, so nothing can be forgotten. */
  readonly shredder: Shredder | undefined;
  readonly objects: ObjectReads;
  readonly liveInForks: LiveInForks;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Serves {@link SHRED_PATH}, to which only POST is answered. */
export function shredRoute(parts: ShredRouteParts): Route {
  return (request) => {
    if (request.info.path !== SHRED_PATH || request.info.at !== '') return undefined;
    return refusal(request) ?? shred(parts, request);
  };
}

/** Whether the path is allowed at all was asked by the authorization filter; this is what no authorizer can allow. */
function refusal(request: AuthenticatedRequest): Answer | undefined {
  if (request.method !== 'POST') return statusAnswer(methodNotAllowed());
  if (!request.user.groups.includes(UNAUTHENTICATED_GROUP)) return undefined;
  const sentence = describe(attributesOf(request));
  const why = `${sentence}: objects are not shredded without credentials`;
  return statusAnswer(forbidden({ group: '', resource: '' }, '', why));
}

async function shred(
  { shredder, objects, liveInForks }: ShredRouteParts,
  request: AuthenticatedRequest,
): Promise<Answer> {
  const { query } = request;
  const resource = queryValue(query, 'resource') ?? '';
  const path = queryValue(query, 'path') ?? '';
  if (resource === '' || !path.includes('/')) {
    return statusAnswer(badRequest('resource and path must be given, as core/secrets and shop/db'));
  }
  if (shredder === undefined) {
    const why =
      'nothing is encrypted here (--encryption-provider-config), so nothing can be shredded';
    return statusAnswer(badRequest(why));
  }
  const known = await shredder.ofPath(resource, path);
  const live = objects.get(resource, path);
  const liveUid = live && (parsedObject(live).metadata.uid ?? '');
  // With it nothing but its own key is there, mostly, and then forks need not be opened.
  const gone = known.filter((uid) => uid !== liveUid);
  const inForks = gone.length === 0 ? NONE : await liveInForks(request, resource, path);
  const uids = gone.filter((uid) => !inForks.has(uid));
  const place = liveUid === undefined ? forkOf(known, inForks) : '';
  if (uids.length === 0 && place !== undefined) return existing(resource, path, place);
  await shredder.destroy(uids);
  return jsonAnswer({ shredded: uids.length, uids });
}

/** The fork in which one of them exists. */
function forkOf(uids: readonly string[], inForks: ReadonlyMap<string, string>): string | undefined {
  const uid = uids.find((one) => inForks.has(one));
  return uid === undefined ? undefined : inForks.get(uid);
}

/** @param fork '': in the main control plane. */
function existing(resource: string, path: string, fork: string): Answer {
  const [group = '', name = ''] = resource.split('/');
  const about = { group: group === 'core' ? '' : group, resource: name };
  const where = fork === '' ? 'exists' : `exists in the fork ${fork}`;
  const why = `the object ${where}, and so its past is kept: delete it first`;
  return statusAnswer(conflict(about, nameOf(path), why));
}
