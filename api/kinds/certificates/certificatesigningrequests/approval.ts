/**
 * The `approval` subresource: it writes the conditions and nothing else.
 *
 * In Kubernetes: csrApprovalStrategy, registry/certificates/certificates.
 */
import type { Clock } from '../../../meta/clock.ts';
import type { UpdateRules } from '../../strategy.ts';
import { carryOver } from '../../strategy-of.ts';
import { statusOf } from '../../rules/value-validation.ts';
import { stampConditions } from './conditions.ts';
import { validateRequestChange } from './validation.ts';

export function approvalOf(clock: Clock): UpdateRules {
  return {
    prepareForUpdate(request, old) {
      stampConditions(request, old, clock);
      const status = { ...statusOf(old) };
      carryOver(status, statusOf(request), 'conditions');
      carryOver(request, old, 'spec');
      request['status'] = status;
    },
    validateUpdate: (request, old) => validateRequestChange(request, old, 'approval'),
  };
}
