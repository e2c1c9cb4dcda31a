/**
 * `POST /everwatch/v1/reset`, with `?to=VERSION` or without: all objects are put back to what they were at that
 * resourceVersion, or when this server was ready. Only where `--allow-reset` says so, which is for test suites.
 */
import { UNAUTHENTICATED_GROUP } from '../../actors/authentication/server-authenticator.ts';
import { attributesOf, describe } from '../../actors/authorization/authorizer.ts';
import {
  putBack,
  type PutBack,
  type PutBackParts,
} from '../../actors/registry/put-back/put-back.ts';
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import { RESET_PATH } from '../../actors/request/log-request.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import {
  badRequest,
  expired,
  forbidden,
  methodNotAllowed,
  serviceUnavailable,
  type Status,
} from '../../api/meta/status.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import {
  resourceVersion as asVersion,
  type ResourceVersion,
} from '../../streams/resource-version.ts';
import { jsonAnswer, type Route } from './route.ts';

export interface ResetRouteParts {
  /** Asked for when it is there. */
  readonly plane: () => PutBackParts;
  /** Told to the user, for tools that read the log in it. */
  readonly dataDirectory: string;
  readonly applied: Pick<AppliedVersion, 'current'>;
  /** The version at which this server was ready. */
  readonly ready: () => ResourceVersion;
}

/** Serves {@link RESET_PATH}, to which only POST is answered. */
export function resetRoute(parts: ResetRouteParts): Route {
  return (request) => {
    const { path, at } = request.info;
    if (path !== RESET_PATH || at !== '') return undefined;
    return refusal(request) ?? reset(parts, request);
  };
}

/** Whether the user may was asked by the authorization filter; this is what no authorizer can allow. */
function refusal(request: AuthenticatedRequest): Answer | undefined {
  if (request.method !== 'POST') return statusAnswer(methodNotAllowed());
  if (!request.user.groups.includes(UNAUTHENTICATED_GROUP)) return undefined;
  const why = `${describe(attributesOf(request))}: nothing is reset without credentials`;
  return statusAnswer(forbidden({ group: '', resource: '' }, '', why));
}

async function reset(parts: ResetRouteParts, request: AuthenticatedRequest): Promise<Answer> {
  const { applied, dataDirectory } = parts;
  const text = queryValue(request.query, 'to') ?? '';
  if (text !== '' && !VERSION.test(text)) {
    return statusAnswer(badRequest(`to: must be a resourceVersion, not ${JSON.stringify(text)}`));
  }
  const to = text === '' ? parts.ready() : asVersion(Number(text));
  if (to > applied.current) {
    const why = `to: ${text} is yet to come; the latest is ${String(applied.current)}`;
    return statusAnswer(badRequest(why));
  }
  const { user, info, auditID } = request;
  const by = { user: user.name, verb: info.verb, auditID, fieldManager: 'everwatch-reset' };
  const before = String(applied.current);
  const outcome = await putBack(parts.plane(), to, by);
  if (outcome.kind !== 'done') return statusAnswer(failure(outcome, to));
  const { changes } = outcome;
  const resourceVersion = String(applied.current);
  return jsonAnswer({ to: String(to), changes, before, resourceVersion, dataDirectory });
}

const VERSION = /^[1-9]\d{0,14}$/;

function failure(outcome: Exclude<PutBack, { kind: 'done' }>, to: ResourceVersion): Status {
  if (outcome.kind === 'gone') {
    return expired(`to: the past does not reach back to ${String(to)} any more`);
  }
  const { commit } = outcome;
  const why = commit.kind === 'refused' ? commit.why : commit.kind;
  return serviceUnavailable(`not everything could be put back: ${why}`, 1);
}
