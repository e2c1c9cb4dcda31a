/**
 * Defaults inside a Job's podFailurePolicy, which CronJobs carry in their template as well.
 *
 * In Kubernetes: SetDefaults_PodFailurePolicyOnPodConditionsPattern, pkg/apis/batch/v1.
 */
import type { JobSpec } from '../../generated/kinds/batch-v1.ts';
import { forEachIn, setIfZero, withObject } from '../default-field.ts';

export function setPodFailurePolicyDefaults(jobSpec: JobSpec): void {
  withObject(jobSpec, 'podFailurePolicy', (policy) => {
    forEachIn(policy, 'rules', (rule) => {
      forEachIn(rule, 'onPodConditions', (pattern) => {
        setIfZero(pattern, 'status', 'True');
      });
    });
  });
}
