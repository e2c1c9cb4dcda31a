/**
 * Defaults of a CronJob. Of the job inside only the pods get theirs here; the rest follows when a
 * Job is made of it.
 *
 * In Kubernetes: SetDefaults_CronJob, pkg/apis/batch/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, setIfZero, structAt } from '../../default-field.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';
import { setPodFailurePolicyDefaults } from '../pod-failure-policy-defaults.ts';

export function setCronJobDefaults(cronJob: JsonObject): void {
  const spec = structAt(cronJob, 'spec');
  setIfZero(spec, 'concurrencyPolicy', 'Allow');
  setIfAbsent(spec, 'suspend', false);
  setIfAbsent(spec, 'successfulJobsHistoryLimit', 3);
  setIfAbsent(spec, 'failedJobsHistoryLimit', 1);
  const jobSpec = structAt(structAt(spec, 'jobTemplate'), 'spec');
  setPodFailurePolicyDefaults(jobSpec);
  setPodTemplateDefaults(jobSpec);
}
