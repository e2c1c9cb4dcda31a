/**
 * Audit: what is written down of this request, and is it written down that it came? In the chain only where there
 * is a policy.
 *
 * Where the policy asks for nothing the request walks on at once. Where requests wait for their
 * events to be kept, the outcome comes back to this actor as a message.
 *
 * In Kubernetes: WithAudit, apiserver/pkg/endpoints/filters.
 */
import { internalError } from '../../api/meta/status.ts';
import { type Behavior, passOn, type Ref, wait } from '../request/actor.ts';
import type { Audit } from '../audit/audit.ts';
import type { Faults } from '../request/faults.ts';
import { statusAnswer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';

interface EventKept {
  readonly type: 'eventKept';
  readonly request: AuthenticatedRequest;
  readonly isKept: boolean;
}

export type AuditMessage = AuthenticatedRequest | EventKept;

export interface AuditDependencies {
  readonly audit: Audit;
  readonly faults: Faults;
}

/** Behind authentication: events name the user. */
export function auditing(
  { audit, faults }: AuditDependencies,
  next: Ref<AuthenticatedRequest>,
): Behavior<AuditMessage> {
  function settle(request: AuthenticatedRequest, isKept: boolean): void {
    if (isKept) return passOn(next, request);
    audit.rejected();
    return request.reply(statusAnswer(internalError('failed to store audit event')));
  }

  return {
    name: 'audit',

    receive(message, self) {
      if (message.type !== 'request') {
        settle(message.request, message.isKept);
        return;
      }
      const kept = audit.begin(message);
      if (!(kept instanceof Promise)) {
        settle(message, kept);
        return;
      }
      const known = (isKept: boolean): EventKept => {
        return { type: 'eventKept', request: message, isKept };
      };
      wait(self, kept.then(known));
    },

    fault(message, error) {
      faults.answer(message.type === 'request' ? message : message.request, error);
    },
  };
}
