/**
 * Defaults of a CronJob. Of the job inside only the pods get theirs here; the rest follows when a
 * Job is made of it.
 *
 * In Kubernetes: SetDefaults_CronJob, pkg/apis/batch/v1.
 */
import type { CronJob } from '../../../generated/kinds/batch-v1.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';
import { setPodFailurePolicyDefaults } from '../pod-failure-policy-defaults.ts';

export function setCronJobDefaults(cronJob: CronJob): void {
  const spec = cronJob.spec;
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  const jobSpec = spec.jobTemplate.spec;
  setPodFailurePolicyDefaults(jobSpec);
  setPodTemplateDefaults(jobSpec);
}
