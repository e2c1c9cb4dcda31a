/** Cron jobs: jobs by the clock. In Kubernetes: registry/batch/cronjob. */
import { objectAt, stringAt } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import type { Kind } from '../../kind.ts';
import { templateWithAliases } from '../../pod-spec-aliases.ts';
import { emptyStatus, specChanged, strategyOf } from '../../strategy-of.ts';
import { specOf } from '../../value-validation.ts';
import { nameWarnings } from '../../workload-warnings.ts';
import { validateCronJob, validateCronJobChange } from './validation.ts';

export const cronJobs: Kind = {
  group: 'batch',
  version: 'v1',
  resource: 'cronjobs',
  strategy: strategyOf({
    isNewGeneration: specChanged,
    status: { initial: emptyStatus },
    prepareForCreate: pairAliases,
    prepareForUpdate: pairAliases,
    validate: validateCronJob,
    validateUpdate: validateCronJobChange,
    warningsOnCreate: (cronJob) => nameWarnings(cronJob, 'Pod names and hostnames'),
    warningsOnUpdate: zoneWarnings,
  }),
};

function pairAliases(cronJob: KubeObject): void {
  const spec = specOf(cronJob);
  const jobTemplate = objectAt(spec, 'jobTemplate');
  const jobSpec = objectAt(jobTemplate, 'spec');
  const template = objectAt(jobSpec, 'template');
  if (template === undefined) return;
  const paired = { ...jobSpec, template: templateWithAliases(template) };
  cronJob['spec'] = { ...spec, jobTemplate: { ...jobTemplate, spec: paired } };
}

function zoneWarnings(cronJob: KubeObject): readonly string[] {
  if (!stringAt(specOf(cronJob), 'schedule').includes('TZ')) return [];
  return [
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ' +
      'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
  ];
}
