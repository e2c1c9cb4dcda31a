/**
 * Authorization: may this user do this?
 *
 * A request that may walks on to `next`; any other is answered here, with 403 or
 * 500. An authorizer that has to ask (a webhook) decides later, and its decision
 * comes back to this actor as a message: no request waits behind another.
 *
 * A request for a fork or a moment that is about no object walks on without that place, unless the
 * user may know of it: so no fork is opened, and no moment waited for, on behalf of a user that may
 * not even know whether it is there.
 *
 * In Kubernetes: WithAuthorization, apiserver/pkg/endpoints/filters.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { forbidden, internalError, type Status } from '../../api/meta/status.ts';
import { type Behavior, passOn, type Ref, wait } from '../request/actor.ts';
import type {
  AuthorizationResult,
  RequestAuthorizationMeters,
} from '../authorization/authorization-meters.ts';
import {
  type Authorizer,
  type Decision,
  refusalText,
  undecided,
} from '../authorization/authorizer.ts';
import { neededAccess, type NeededAccess } from '../authorization/needed-access.ts';
import type { Faults } from '../request/faults.ts';
import { forbidGuessing } from '../request/header-values.ts';
import { statusAnswer } from '../request/answer.ts';
import type { AuthenticatedRequest, RequestInfo, UserInfo } from '../request/request.ts';

/** What was decided, and on what. */
export interface Ruling {
  readonly decision: Decision;
  /** What the decision is about. */
  readonly about: RequestInfo;
  /** Where the request is answered without its place. */
  readonly isOutside?: boolean;
}

interface AuthorizationDecided {
  readonly type: 'authorizationDecided';
  readonly request: AuthenticatedRequest;
  readonly ruling: Ruling;
  readonly tookMs: number;
}

export type AuthorizationMessage = AuthenticatedRequest | AuthorizationDecided;

export interface AuthorizationDependencies {
  readonly authorizer: Authorizer;
  readonly clock: Pick<Clock, 'now'>;
  readonly faults: Faults;
  readonly authorizationMeters?: RequestAuthorizationMeters | undefined;
}

/** What the record of audit says of it. */
const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

export function authorization(
  { authorizer, clock, faults, authorizationMeters: meters }: AuthorizationDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<AuthorizationMessage> {
  function settle(request: AuthenticatedRequest, ruling: Ruling, tookMs: number): void {
    const { decision, about, isOutside } = ruling;
    meters?.authorized(resultOf(decision), tookMs);
    // The verdict goes first: RBAC can fail on one rule and still be allowed by another.
    if (decision.verdict === 'allow') {
      request.annotate(DECISION, 'allow');
      request.annotate(REASON, decision.reason);
      if (isOutside === true) {
        request.routedAs({ ...request.info, fork: '', at: '', isStill: false });
      }
      return passOn(next, request);
    }
    if (decision.error !== undefined) {
      request.annotate(REASON, 'internal error');
      forbidGuessing(request);
      return request.reply(statusAnswer(internalError(decision.error)));
    }
    request.annotate(DECISION, 'forbid');
    request.annotate(REASON, decision.reason);
    forbidGuessing(request);
    return request.reply(statusAnswer(refusal(request.user, about, decision.reason)));
  }

  return {
    name: 'authorization',

    receive(message, self) {
      if (message.type !== 'request') {
        message.request.took('authorization', message.tookMs);
        settle(message.request, message.ruling, message.tookMs);
        return;
      }
      const startedAt = clock.now();
      const ruling = rule(authorizer, message);
      // What is decided at once takes less than the shortest time that is told apart.
      if (!(ruling instanceof Promise)) {
        settle(message, ruling, 0);
        return;
      }
      const decided = (found: Ruling): AuthorizationDecided => {
        const tookMs = clock.now() - startedAt;
        return { type: 'authorizationDecided', request: message, ruling: found, tookMs };
      };
      const failed = (error: unknown): Ruling => ({
        decision: undecided(error),
        about: message.info,
      });
      wait(self, ruling.catch(failed).then(decided));
    },

    fault(message, error) {
      faults.answer(message.type === 'request' ? message : message.request, error);
    },
  };
}

/** What the filter decides of the request, at once or later; a promise may reject. */
export function rule(
  authorizer: Authorizer,
  request: Pick<AuthenticatedRequest, 'user' | 'info' | 'query'>,
): Ruling | Promise<Ruling> {
  const { user, info, query } = request;
  const needed = neededAccess(info, query);
  if (needed === undefined) return asked(authorizer, user, info);
  const first = ruled(authorizer, user, needed.all);
  return first instanceof Promise
    ? first.then((ruling) => placed(authorizer, user, ruling, needed.toEnter))
    : placed(authorizer, user, first, needed.toEnter);
}

/** Asks in order. The first that is not allowed decides, else the last. */
function ruled(
  authorizer: Authorizer,
  user: UserInfo,
  [first, ...others]: NeededAccess['all'],
): Ruling | Promise<Ruling> {
  const onward = (ruling: Ruling): Ruling | Promise<Ruling> => {
    const [next, ...more] = others;
    if (ruling.decision.verdict !== 'allow' || next === undefined) return ruling;
    return ruled(authorizer, user, [next, ...more]);
  };
  const ruling = asked(authorizer, user, first);
  return ruling instanceof Promise ? ruling.then(onward) : onward(ruling);
}

function asked(
  authorizer: Authorizer,
  user: UserInfo,
  about: RequestInfo,
): Ruling | Promise<Ruling> {
  const answer = authorizer.authorize({ user, request: about });
  if (!(answer instanceof Promise)) return { decision: answer, about };
  return answer.catch(undecided).then((decision) => ({ decision, about }));
}

/** Where the request is allowed: whether it may know of its place, too. */
function placed(
  authorizer: Authorizer,
  user: UserInfo,
  ruling: Ruling,
  toEnter: NeededAccess['toEnter'],
): Ruling | Promise<Ruling> {
  if (ruling.decision.verdict !== 'allow' || toEnter === undefined) return ruling;
  const found = ruled(authorizer, user, toEnter);
  const told = ({ decision }: Ruling): Ruling =>
    decision.verdict === 'allow' ? ruling : { ...ruling, isOutside: true };
  return found instanceof Promise ? found.then(told) : told(found);
}

function resultOf(decision: Decision): AuthorizationResult {
  if (decision.verdict === 'allow') return 'allowed';
  if (decision.error !== undefined) return 'error';
  return decision.verdict === 'deny' ? 'denied' : 'no-opinion';
}

/** What the user is told that may not do this. */
export function refusal(user: UserInfo, request: RequestInfo, reason: string): Status {
  const { apiGroup, resource, name } = request;
  const why = refusalText({ user, request }, reason);
  return forbidden({ group: apiGroup, resource }, name, why);
}
