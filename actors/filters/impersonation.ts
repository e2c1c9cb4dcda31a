/**
 * Impersonation: a request that asks to be taken for somebody else walks on as his, if whoever sent
 * it may do that; else it is answered here, with 403. Its headers stay behind, so that nobody
 * further on can tell the difference but the audit, which sees both users.
 *
 * In Kubernetes: WithConstrainedImpersonation, apiserver/pkg/endpoints/filters/impersonation.
 */
import { passOn, wait, type Behavior, type Fate, type Ref } from '../actor.ts';
import type {
  Impersonated,
  Refusal,
} from '../authentication/impersonation/impersonation-checks.ts';
import { wantedUser } from '../authentication/impersonation/impersonation-headers.ts';
import {
  ImpersonationModes,
  isRefusal,
} from '../authentication/impersonation/impersonation-modes.ts';
import { attributesOf } from '../authorization/attributes.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { Faults } from '../faults.ts';
import { statusAnswer, type AuthenticatedRequest } from '../request.ts';

interface ImpersonationDecided {
  readonly type: 'impersonationDecided';
  readonly request: AuthenticatedRequest;
  readonly decided: () => Impersonated | Refusal;
}

export type ImpersonationMessage = AuthenticatedRequest | ImpersonationDecided;

export interface ImpersonationDependencies {
  readonly authorizer: Authorizer;
  readonly faults: Faults;
}

export function impersonation(
  { authorizer, faults }: ImpersonationDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<ImpersonationMessage> {
  const modes = new ImpersonationModes(authorizer);

  function settle(request: AuthenticatedRequest, tried: Impersonated | Refusal): Fate {
    if (isRefusal(tried)) return request.reply(statusAnswer(tried.refusal));
    return passOn(next, request.impersonating(tried.user, tried.constraint));
  }

  return {
    name: 'impersonation',

    receive(message, self) {
      if (message.type !== 'request') return settle(message.request, message.decided());
      const wanted = wantedUser(message);
      if (wanted === undefined) return passOn(next, message);
      if (!wanted.ok) return message.reply(statusAnswer(wanted.status));
      const tried = modes.attempt(wanted.user, attributesOf(message));
      if (!(tried instanceof Promise)) return settle(message, tried);
      return wait(self, tried.then(decidedFor(message), failedFor(message)));
    },

    fault(message, error) {
      return faults.answer(message.type === 'request' ? message : message.request, error);
    },
  };
}

function decidedFor(request: AuthenticatedRequest) {
  return (tried: Impersonated | Refusal): ImpersonationDecided => {
    return { type: 'impersonationDecided', request, decided: () => tried };
  };
}

/** What went wrong is thrown where the room hears of it. */
function failedFor(request: AuthenticatedRequest) {
  return (error: unknown): ImpersonationDecided => ({
    type: 'impersonationDecided',
    request,
    decided() {
      throw error;
    },
  });
}
