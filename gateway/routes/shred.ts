/**
 * `POST /everwatch/v1/shred?resource=core/secrets&path=shop/db`: forgets objects for good. Of all that
 * were ever there under the path and do not exist any more, the keys are destroyed, so nobody can read
 * again what the log says of them: not from a copy of the log either, as long as he has no copy of the
 * keys. One that exists keeps its past; it has to be deleted first.
 */
import { UNAUTHENTICATED_GROUP } from '../../actors/authentication/authenticated-group.ts';
import { attributesOf, describe } from '../../actors/authorization/attributes.ts';
import { statusAnswer, type Answer } from '../../actors/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request.ts';
import { objectAt, stringAt } from '../../api/meta/json.ts';
import { badRequest, conflict, forbidden, methodNotAllowed } from '../../api/meta/status.ts';
import { queryValue } from '../../api/meta/url-query.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { nameOf } from '../../streams/event.ts';
import { jsonAnswer, type Route } from './route.ts';

/** Who has the keys. */
export interface Shredder {
  /** The uids of all objects there ever were under a path whose keys are still there. */
  ofPath(resource: string, path: string): Promise<readonly string[]>;
  /** Resolves when nobody can open any more what was sealed under their keys. */
  destroy(uids: readonly string[]): Promise<void>;
  /** Tells of resources of which something was destroyed, by this server or another. */
  whenForgotten(forget: (resource: string) => void): void;
}

export interface ShredRouteParts {
  /** undefined: nothing is encrypted, so nothing can be forgotten. */
  readonly shredder: Shredder | undefined;
  readonly objects: ObjectReads;
}

export const SHRED_PATH = '/everwatch/v1/shred';

export function shredRoute(parts: ShredRouteParts): Route {
  return (request) => {
    if (request.info.path !== SHRED_PATH || request.info.at !== '') return undefined;
    return refusal(request) ?? shred(parts, request.query);
  };
}

/** Whether the path is allowed at all was asked in the hall; this is what nobody can allow. */
function refusal(request: AuthenticatedRequest): Answer | undefined {
  if (request.method !== 'POST') return statusAnswer(methodNotAllowed());
  if (!request.user.groups.includes(UNAUTHENTICATED_GROUP)) return undefined;
  const sentence = describe(attributesOf(request));
  const why = `${sentence}: nobody shreds without credentials`;
  return statusAnswer(forbidden({ group: '', resource: '' }, '', why));
}

async function shred({ shredder, objects }: ShredRouteParts, query: string): Promise<Answer> {
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
  const liveUid = live && stringAt(objectAt(parsedObject(live), 'metadata'), 'uid');
  const uids = known.filter((uid) => uid !== liveUid);
  if (uids.length === 0 && liveUid !== undefined) {
    const [group = '', name = ''] = resource.split('/');
    const about = { group: group === 'core' ? '' : group, resource: name };
    const why = 'the object exists, and so its past is kept: delete it first';
    return statusAnswer(conflict(about, nameOf(path), why));
  }
  await shredder.destroy(uids);
  return jsonAnswer({ shredded: uids.length, uids });
}
