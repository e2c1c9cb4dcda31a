/**
 * Authorization: may this user do this?
 *
 * A request that may walks on to `next`; any other is answered here, with 403 or
 * 500. An authorizer that has to ask (a webhook) decides later, and its decision
 * comes back to this actor as a message: no request waits behind another.
 *
 * In Kubernetes: WithAuthorization, apiserver/pkg/endpoints/filters.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { forbidden, internalError } from '../../api/meta/status.ts';
import { passOn, wait, type Behavior, type Fate, type Ref } from '../actor.ts';
import type {
  AuthorizationResult,
  RequestAuthorizationMeters,
} from '../authorization/authorization-meters.ts';
import { attributesOf, refusalText } from '../authorization/attributes.ts';
import { undecided, type Authorizer, type Decision } from '../authorization/authorizer.ts';
import type { Faults } from '../faults.ts';
import { forbidGuessing } from '../forbid-guessing.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';

interface AuthorizationDecided {
  readonly type: 'authorizationDecided';
  readonly request: AuthenticatedRequest;
  readonly decision: Decision;
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
  function settle(request: AuthenticatedRequest, decision: Decision, tookMs: number): Fate {
    meters?.authorized(resultOf(decision), tookMs);
    // The verdict goes first: RBAC can fail on one rule and still be allowed by another.
    if (decision.verdict === 'allow') {
      request.annotate(DECISION, 'allow');
      request.annotate(REASON, decision.reason);
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
    return request.reply(refusal(request, decision.reason));
  }

  return {
    name: 'authorization',

    receive(message, self) {
      if (message.type !== 'request') {
        message.request.took('authorization', message.tookMs);
        return settle(message.request, message.decision, message.tookMs);
      }
      const answer = authorizer.authorize(attributesOf(message));
      // What is decided at once takes less than the shortest time that is told apart.
      if (!(answer instanceof Promise)) return settle(message, answer, 0);
      const startedAt = clock.now();
      const decided = (decision: Decision): AuthorizationDecided => {
        const tookMs = clock.now() - startedAt;
        return { type: 'authorizationDecided', request: message, decision, tookMs };
      };
      return wait(self, answer.catch(undecided).then(decided));
    },

    fault(message, error) {
      return faults.answer(message.type === 'request' ? message : message.request, error);
    },
  };
}

function resultOf(decision: Decision): AuthorizationResult {
  if (decision.verdict === 'allow') return 'allowed';
  if (decision.error !== undefined) return 'error';
  return decision.verdict === 'deny' ? 'denied' : 'no-opinion';
}

function refusal(request: AuthenticatedRequest, reason: string): Answer {
  const { apiGroup, resource, name } = request.info;
  const why = refusalText(attributesOf(request), reason);
  return statusAnswer(forbidden({ group: apiGroup, resource }, name, why));
}
