/**
 * Gives every request its audit ID, the client's own if it sent one, and every answer the
 * header that names it. It comes first, so that no answer is without.
 *
 * In Kubernetes: WithAuditInit, apiserver/pkg/endpoints/filters.
 */
import type { Random } from '../../api/meta/clock.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import type { ReceivedRequest } from '../request/request.ts';

export function auditInit(
  { random, faults }: { readonly random: Random; readonly faults: Faults },
  next: Ref<ReceivedRequest>,
): Behavior<ReceivedRequest> {
  return {
    name: 'audit-init',

    receive(request) {
      const auditID = sentAuditID(request) ?? random.uuid();
      request.auditedAs(auditID);
      request.responseHeaders['Audit-Id'] = auditID;
      passOn(next, request);
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

/** What HTTP lets a header say; anything else could not be sent back. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]+$/;

function sentAuditID({ headers }: ReceivedRequest): string | undefined {
  const sent = headers['audit-id'];
  if (sent === undefined) return undefined;
  const first = typeof sent === 'string' ? sent : (sent[0] ?? '');
  return SENDABLE.test(first) ? first : undefined;
}
