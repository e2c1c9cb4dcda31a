/**
 * Impersonation: a request that asks to be taken for that of another user walks on as theirs, if the
 * user that sent it may do that; else it is answered here, with 403. Its headers stay behind, so that
 * only the audit can tell the difference further on: it sees both users.
 *
 * In Kubernetes: WithConstrainedImpersonation, apiserver/pkg/endpoints/filters/impersonation.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { Status } from '../../api/meta/status.ts';
import { type Behavior, passOn, type Ref, wait } from '../request/actor.ts';
import type { ImpersonationMeters } from '../authentication/authentication-meters.ts';
import {
  type Impersonated,
  meteredAuthorizer,
  modeOf,
  type Refusal,
} from '../authentication/impersonation/impersonation-checks.ts';
import { wantedUser } from '../authentication/impersonation/impersonation-headers.ts';
import {
  ImpersonationModes,
  isRefusal,
} from '../authentication/impersonation/impersonation-modes.ts';
import { attributesOf, type Authorizer } from '../authorization/authorizer.ts';
import type { Faults } from '../request/faults.ts';
import { forbidGuessing } from '../request/header-values.ts';
import { statusAnswer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';

interface ImpersonationDecided {
  readonly type: 'impersonationDecided';
  readonly request: AuthenticatedRequest;
  readonly decided: () => Impersonated | Refusal;
  readonly startedAt: number;
}

export type ImpersonationMessage = AuthenticatedRequest | ImpersonationDecided;

export interface ImpersonationDependencies {
  readonly authorizer: Authorizer;
  readonly faults: Faults;
  readonly clock: Pick<Clock, 'now'>;
  /** The feature ConstrainedImpersonation; on, unless said. */
  readonly isConstrained?: boolean;
  readonly authenticationMeters?: ImpersonationMeters | undefined;
}

export function impersonation(
  dependencies: ImpersonationDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<ImpersonationMessage> {
  const { authorizer, faults, clock, authenticationMeters: meters, isConstrained } = dependencies;
  const asked = meters === undefined ? authorizer : meteredAuthorizer(authorizer, meters, clock);
  const modes = new ImpersonationModes(asked, isConstrained);

  function settle(
    request: AuthenticatedRequest,
    tried: Impersonated | Refusal,
    startedAt: number,
  ): void {
    const isAllowed = !isRefusal(tried);
    const mode = isAllowed ? modeOf(tried.constraint) : '';
    const tookMs = clock.now() - startedAt;
    request.took('impersonation', tookMs);
    meters?.attempted(mode, isAllowed, tookMs);
    if (isRefusal(tried)) return refuse(request, tried.refusal);
    return passOn(next, request.impersonating(tried.user, tried.constraint));
  }

  return {
    name: 'impersonation',

    receive(message, self) {
      if (message.type !== 'request') {
        settle(message.request, message.decided(), message.startedAt);
        return;
      }
      const wanted = wantedUser(message);
      if (wanted === undefined) {
        passOn(next, message);
        return;
      }
      if (!wanted.ok) {
        refuse(message, wanted.status);
        return;
      }
      const startedAt = clock.now();
      const asking = { request: message, startedAt };
      const tried = modes.attempt(wanted.user, attributesOf(message));
      wait(self, tried.then(decidedFor(asking), failedFor(asking)));
    },

    fault(message, error) {
      faults.answer(message.type === 'request' ? message : message.request, error);
    },
  };
}

function refuse(request: AuthenticatedRequest, status: Status): void {
  forbidGuessing(request);
  return request.reply(statusAnswer(status));
}

type Asking = Pick<ImpersonationDecided, 'request' | 'startedAt'>;

function decidedFor(asking: Asking) {
  return (tried: Impersonated | Refusal): ImpersonationDecided => {
    return { type: 'impersonationDecided', ...asking, decided: () => tried };
  };
}

/** What went wrong is thrown where the filter hears of it. */
function failedFor(asking: Asking) {
  return (error: unknown): ImpersonationDecided => ({
    type: 'impersonationDecided',
    ...asking,
    decided() {
      throw error;
    },
  });
}
