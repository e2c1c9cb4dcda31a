/**
 * Defaults of a ResourceQuota: nothing is filled in, amounts are only rounded up to milli.
 *
 * In Kubernetes: SetObjectDefaults_ResourceQuota, pkg/apis/core/v1.
 */
import type { ResourceQuota } from '../../../generated/kinds/core-v1.ts';
import { withObject } from '../../default-field.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';

export function setResourceQuotaDefaults(quota: ResourceQuota): void {
  withObject(quota, 'spec', (spec) => {
    setResourceListDefaults(spec, 'hard');
  });
  withObject(quota, 'status', (status) => {
    setResourceListDefaults(status, 'hard');
    setResourceListDefaults(status, 'used');
  });
}
