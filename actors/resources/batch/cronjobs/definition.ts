/** Cron jobs: jobs by the clock. In Kubernetes: registry/batch/cronjob. */
import { objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import type { Kind } from '../../kind.ts';
import { preparedTemplate } from '../../pod-spec-preparation.ts';
import { emptyStatus, specChanged, strategyOf } from '../../strategy-of.ts';
import { specOf } from '../../value-validation.ts';
import { jobSpecWarnings } from '../../job-warnings.ts';
import { nameWarnings } from '../../workload-warnings.ts';
import { validateCronJob, validateCronJobChange } from './validation.ts';

export const cronJobs: Kind = {
  group: 'batch',
  version: 'v1',
  resource: 'cronjobs',
  strategy: strategyOf({
    isNewGeneration: specChanged,
    // Upstream checks nothing of a status that is written.
    status: { initial: emptyStatus, takesAnyFinalizer: true },
    prepareForCreate: (cronJob) => prepareJobTemplate(cronJob, undefined),
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
  }),
};

function prepareJobTemplate(cronJob: KubeObject, old: KubeObject | undefined): void {
  const spec = specOf(cronJob);
  const jobTemplate = objectAt(spec, 'jobTemplate');
  const jobSpec = objectAt(jobTemplate, 'spec');
  const template = objectAt(jobSpec, 'template');
  if (template === undefined) return;
  const oldTemplate = old === undefined ? undefined : podTemplateOf(specOf(old));
  const prepared = { ...jobSpec, template: preparedTemplate(template, oldTemplate) };
  cronJob['spec'] = { ...spec, jobTemplate: { ...jobTemplate, spec: prepared } };
}

function podTemplateOf(spec: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(objectAt(spec, 'jobTemplate'), 'spec'), 'template');
}

function jobTemplateWarnings(cronJob: KubeObject): readonly string[] {
  const jobSpec = objectAt(objectAt(specOf(cronJob), 'jobTemplate'), 'spec') ?? {};
  return jobSpecWarnings('spec.jobTemplate.spec', jobSpec);
}

function zoneWarnings(cronJob: KubeObject): readonly string[] {
  if (!stringAt(specOf(cronJob), 'schedule').includes('TZ')) return [];
  return [
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ' +
      'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
  ];
}
