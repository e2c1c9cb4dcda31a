/**
 * Jobs: pods that end. A job finds its pods by its own uid, in labels that it gets when it is made.
 *
 * In Kubernetes: registry/batch/job.
 */
import { defineKind } from '../../kind.ts';
import { prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { emptyStatus, specChanged } from '../../strategy-of.ts';
import { jobSpecWarnings } from '../job-warnings.ts';
import { nameWarnings } from '../../pod-spec/pod-template-validation.ts';
import { addUidSelector, validateJob, validateJobChange } from './validation.ts';
import { validateJobStatus } from './status-validation.ts';

const ORPHANS_PODS =
  'child pods are preserved by default when jobs are deleted; ' +
  'set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export const jobs = defineKind('batch/v1/jobs', {
  fields: { 'status.successful': (job) => String(job.status.succeeded ?? 0) },
  rules: {
    // Clients of v1 have always kept their pods when they deleted one.
    defaultGarbageCollection: 'orphan',
    isNewGeneration: specChanged,
    status: { initial: emptyStatus, validateUpdate: validateJobStatus },
    prepareForCreate(job, _requester, isOn) {
      prepareTemplate(job, undefined, isOn);
      addUidSelector(job);
    },
    prepareForUpdate: prepareTemplate,
    validate: (job) => validateJob(job),
    validateUpdate: (job, old) => [...validateJob(job, old), ...validateJobChange(job, old)],
    warningsOnDelete: ({ propagationPolicy, orphanDependents }) =>
      propagationPolicy === undefined && orphanDependents === undefined ? [ORPHANS_PODS] : [],
    warningsOnCreate: (job) => [
      ...nameWarnings(job, 'Pod names and hostnames'),
      ...jobSpecWarnings('spec', job.spec),
    ],
    warningsOnUpdate: (job, old) =>
      job.metadata.generation === old.metadata.generation ? [] : jobSpecWarnings('spec', job.spec),
  },
});
