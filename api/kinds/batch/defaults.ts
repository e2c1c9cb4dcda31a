/**
 * Defaults of jobs and cron jobs. `completions` stays unset where only `parallelism` is said: that is a
 * work queue, done when one of its pods succeeds and all have ended. Of the job in a cron job only the
 * pods get theirs; the rest follows when a Job is made of it.
 *
 * In Kubernetes: SetDefaults_Job, SetDefaults_CronJob and
 * SetDefaults_PodFailurePolicyOnPodConditionsPattern, pkg/apis/batch/v1.
 */
import type { CronJob, Job, JobSpec } from '../../generated/kinds/batch-v1.ts';
import { isEmpty } from '../default-field.ts';
import { setPodTemplateDefaults } from '../pod-spec/pod-spec-defaults.ts';
import { forEachItem } from '../../json/work-in-slices.ts';
import { items } from '../../json/go-values.ts';

const BACKOFF_LIMIT = 6;
/** With a limit per index the job itself has none. */
const BACKOFF_LIMIT_PER_INDEX = 2_147_483_647;

/** Of the job and of its pods. */
export function setJobDefaults(job: Job): void {
  const { spec } = job;
  if (spec.parallelism === undefined) spec.completions ??= 1;
  spec.parallelism ??= 1;
  const isPerIndex = spec.backoffLimitPerIndex !== undefined;
  spec.backoffLimit ??= isPerIndex ? BACKOFF_LIMIT_PER_INDEX : BACKOFF_LIMIT;
  adoptLabels(job, spec);
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  const hasFailurePolicy = spec.podFailurePolicy !== undefined;
  spec.podReplacementPolicy ??= hasFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
  setPodFailurePolicyDefaults(spec);
  setPodTemplateDefaults(spec);
}

/** A job without labels takes those of its pods, and is known by that: see `addUidSelector`. */
function adoptLabels({ metadata }: Job, { template }: JobSpec): void {
  const { labels } = template.metadata;
  if (labels !== undefined && isEmpty(metadata.labels)) metadata.labels = labels;
}

/** Of the cron job and of the pods of its jobs. */
export function setCronJobDefaults({ spec }: CronJob): void {
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  const jobSpec = spec.jobTemplate.spec;
  setPodFailurePolicyDefaults(jobSpec);
  setPodTemplateDefaults(jobSpec);
}

/** Patterns of conditions are about those that are true, unless they say another status. */
function setPodFailurePolicyDefaults({ podFailurePolicy }: JobSpec): void {
  forEachItem(items(podFailurePolicy?.rules), ({ onPodConditions }) => {
    forEachItem(items(onPodConditions), (pattern) => {
      pattern.status ||= 'True';
    });
  });
}
