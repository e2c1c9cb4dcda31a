/**
 * Authentication: who asks?
 *
 * A request of somebody known walks on to `next`; any other is answered here, with 401, and
 * the reason stays in the log. An authenticator that has to ask somebody decides later, and
 * its verdict comes back to this actor as a message.
 *
 * In Kubernetes: WithAuthentication, apiserver/pkg/endpoints/filters.
 */
import { unauthorized } from '../../api/meta/status.ts';
import { passOn, wait, type Behavior, type Fate, type Ref } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import {
  refused,
  type Authentication,
  type Authenticator,
  type Identified,
} from '../authentication/authenticator.ts';
import type { Faults } from '../faults.ts';
import { isHttp2 } from '../http2-request.ts';
import type { Logger } from '../logger.ts';
import { statusAnswer, type AuthenticatedRequest, type RoutedRequest } from '../request.ts';

interface AuthenticationDecided {
  readonly type: 'authenticationDecided';
  readonly request: RoutedRequest;
  readonly authentication: Authentication;
}

export type AuthenticationMessage = RoutedRequest | AuthenticationDecided;

export interface AuthenticationDependencies {
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly faults: Faults;
  /** Hears of who is not let in; undefined: nothing is audited. */
  readonly audit?: Pick<Audit, 'refusedEarly'> | undefined;
  /** Whether nobody known gets more than one answer of a connection of HTTP/2. */
  readonly limitsUnknown?: boolean | undefined;
}

export function authentication(
  { authenticator, logger, faults, audit, limitsUnknown = false }: AuthenticationDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<AuthenticationMessage> {
  function settle(request: RoutedRequest, decided: Authentication): Fate {
    if (isUnknown(decided) && limitsUnknown) limitConnection(request);
    if (decided.verdict === 'identified') return passOn(next, admitted(request, decided));
    if (decided.verdict === 'refused') {
      const { path, auditID } = request;
      logger.warn({ reason: decided.reason, path, auditID }, 'unable to authenticate the request');
    }
    audit?.refusedEarly(request);
    return request.reply(statusAnswer(unauthorized()));
  }

  return {
    name: 'authentication',

    receive(message, self) {
      if (message.type !== 'request') return settle(message.request, message.authentication);
      const answer = authenticator.authenticate(message);
      if (!(answer instanceof Promise)) return settle(message, answer);
      const decided = (authentication: Authentication): AuthenticationDecided => {
        return { type: 'authenticationDecided', request: message, authentication };
      };
      return wait(self, answer.catch(refused).then(decided));
    },

    fault(message, error) {
      return faults.answer(message.type === 'request' ? message : message.request, error);
    },
  };
}

/** The credential stays behind: nobody further on needs it, or could let it out. */
function admitted(request: RoutedRequest, decided: Identified): AuthenticatedRequest {
  const { user, annotations, warning } = decided;
  if (request.headers['authorization'] !== undefined) request.forgetHeader('authorization');
  if (annotations !== undefined) {
    for (const [key, value] of Object.entries(annotations)) request.annotate(key, value);
  }
  if (warning !== undefined) request.warn(warning);
  return request.identifiedAs(user);
}

function isUnknown(decided: Authentication): boolean {
  return decided.verdict !== 'identified' || decided.user.name === ANONYMOUS;
}

/** HTTP/2 is cheap for those who flood and dear for us (CVE-2023-44487): on it, one request each. */
function limitConnection(request: RoutedRequest): void {
  if (isHttp2(request)) request.responseHeaders['Connection'] = 'close';
}

const ANONYMOUS = 'system:anonymous';
