/**
 * Defaults of a Job. `completions` stays unset where only `parallelism` is said: that is a work
 * queue, done when one of its pods succeeds and all have ended.
 *
 * In Kubernetes: SetDefaults_Job, pkg/apis/batch/v1.
 */
import type { Job, JobSpec } from '../../../generated/kinds/batch-v1.ts';
import { isAbsent, isEmpty } from '../../default-field.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';
import { setPodFailurePolicyDefaults } from '../pod-failure-policy-defaults.ts';

const BACKOFF_LIMIT = 6;
/** With a limit per index the job itself has none. */
const BACKOFF_LIMIT_PER_INDEX = 2_147_483_647;

export function setJobDefaults(job: Job): void {
  const spec = job.spec;
  if (isAbsent(spec.completions) && isAbsent(spec.parallelism)) spec.completions = 1;
  spec.parallelism ??= 1;
  const isPerIndex = !isAbsent(spec.backoffLimitPerIndex);
  spec.backoffLimit ??= isPerIndex ? BACKOFF_LIMIT_PER_INDEX : BACKOFF_LIMIT;
  adoptLabels(job, spec);
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  const hasFailurePolicy = !isAbsent(spec.podFailurePolicy);
  spec.podReplacementPolicy ??= hasFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
  setPodFailurePolicyDefaults(spec);
  setPodTemplateDefaults(spec);
}

/** A job without labels takes those of its pods. */
function adoptLabels(job: Job, spec: JobSpec): void {
  const labels = spec.template.metadata.labels;
  if (labels === undefined) return;
  const metadata = job.metadata;
  if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
}
