/**
 * Defaults of a ResourceQuota: nothing is filled in, amounts are only rounded up to milli.
 *
 * In Kubernetes: SetObjectDefaults_ResourceQuota, pkg/apis/core/v1.
 */
import type { ResourceQuota } from '../../../generated/kinds/core-v1.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';

export function setResourceQuotaDefaults({ spec, status }: ResourceQuota): void {
  setResourceListDefaults(spec.hard);
  setResourceListDefaults(status.hard);
  setResourceListDefaults(status.used);
}
