/** Cron jobs: jobs by the clock. In Kubernetes: registry/batch/cronjob. */
import type { CronJob } from '../../../generated/kinds/batch-v1.ts';
import { defineKind } from '../../kind.ts';
import { preparedTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import type { IsFeatureOn } from '../../kind-features.ts';
import { emptyStatus, specChanged } from '../../strategy-of.ts';
import { jobSpecWarnings } from '../job-warnings.ts';
import { nameWarnings } from '../../pod-spec/pod-template-validation.ts';
import { validateCronJob, validateCronJobChange } from './validation.ts';

export const cronJobs = defineKind('batch/v1/cronjobs', {
  rules: {
    isNewGeneration: specChanged,
    // Upstream checks nothing of a status that is written.
    status: { initial: emptyStatus, takesAnyFinalizer: true },
    prepareForCreate: (cronJob, _requester, isOn) => prepareJobTemplate(cronJob, undefined, isOn),
    prepareForUpdate: prepareJobTemplate,
    validate: validateCronJob,
    validateUpdate: validateCronJobChange,
    warningsOnCreate: (cronJob) => [
      ...nameWarnings(cronJob, 'Pod names and hostnames'),
      ...jobTemplateWarnings(cronJob),
    ],
    warningsOnUpdate: (cronJob, old) => [
      ...(cronJob.metadata.generation === old.metadata.generation
        ? []
        : jobTemplateWarnings(cronJob)),
      ...zoneWarnings(cronJob),
    ],
  },
});

function prepareJobTemplate(cronJob: CronJob, old: CronJob | undefined, isOn?: IsFeatureOn): void {
  const { spec } = cronJob;
  const { jobTemplate } = spec;
  const oldTemplate = old?.spec.jobTemplate.spec.template;
  const template = preparedTemplate(jobTemplate.spec.template, oldTemplate, isOn);
  const jobSpec = { ...jobTemplate.spec, template };
  cronJob.spec = { ...spec, jobTemplate: { ...jobTemplate, spec: jobSpec } };
}

function jobTemplateWarnings({ spec }: CronJob): readonly string[] {
  return jobSpecWarnings('spec.jobTemplate.spec', spec.jobTemplate.spec);
}

function zoneWarnings({ spec }: CronJob): readonly string[] {
  if (!spec.schedule.includes('TZ')) return [];
  return [
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ' +
      'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
  ];
}
