/**
 * Limits of what a namespace may hold. No field has a default; amounts are only rounded up to milli.
 *
 * In Kubernetes: registry/core/resourcequota; SetObjectDefaults_ResourceQuota, pkg/apis/core/v1.
 */
import { defineKind } from '../../kind.ts';
import { emptyStatus } from '../../strategy-of.ts';
import { validateQuota, validateQuotaScopes, validateQuotaStatus } from './validation.ts';
import type { ResourceQuota } from '../../../generated/kinds/core-v1.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';

/** The kind ResourceQuota. */
export const resourceQuotas = defineKind('v1/resourcequotas', {
  rules: {
    returnsDeletedObject: true,
    status: { initial: emptyStatus, validateUpdate: validateQuotaStatus },
    validate: validateQuota,
    validateChange: validateQuotaScopes,
  },
});

/** SetObjectDefaults_ResourceQuota: amounts are rounded up to milli. */
export function setResourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  setResourceListDefaults(spec.hard);
  setResourceListDefaults(status.hard);
  setResourceListDefaults(status.used);
}
