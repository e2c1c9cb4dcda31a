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
import {
  refused,
  type Authentication,
  type Authenticator,
} from '../authentication/authenticator.ts';
import type { Faults } from '../faults.ts';
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
}

export function authentication(
  { authenticator, logger, faults }: AuthenticationDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<AuthenticationMessage> {
  function settle(request: RoutedRequest, decided: Authentication): Fate {
    if (decided.verdict === 'identified') return passOn(next, request.identifiedAs(decided.user));
    if (decided.verdict === 'refused') {
      const { path, auditID } = request;
      logger.warn({ reason: decided.reason, path, auditID }, 'unable to authenticate the request');
    }
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
