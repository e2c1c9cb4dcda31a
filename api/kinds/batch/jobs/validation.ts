/** What a job may say. In Kubernetes: ValidateJob, pkg/apis/batch/validation. */
import type { Job, JobSpec } from '../../../generated/kinds/batch-v1.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { validateJobSpec } from '../job-spec-validation.ts';
import { validateLabelSelector } from '../../rules/label-selector-validation.ts';
import { validateTemplateMatches } from '../../pod-spec/pod-template-validation.ts';
import { isMissing } from '../../rules/value-validation.ts';
import { validateUidSelector } from './selector.ts';

/** `old` is undefined on create. */
export function validateJob(job: Job, old?: Job): FieldErrors {
  const spec = job.spec;
  return [
    ...validateUidSelector(job, old),
    ...validateJobSpec('spec', spec, old === undefined ? undefined : old.spec),
    ...validateSelector(spec),
    ...validateLongestName(job, spec),
  ];
}

function validateSelector(spec: JobSpec): FieldErrors {
  const { selector } = spec;
  const problems = validateLabelSelector('spec.selector', selector);
  return [
    ...(isMissing(selector) ? [required('spec.selector')] : problems),
    ...(problems.length > 0 ? [] : validateTemplateMatches('spec.template', spec, selector)),
  ];
}

/** Each pod of an indexed job has its index in its host name. */
function validateLongestName(job: Job, spec: JobSpec): FieldErrors {
  const completions = spec.completions ?? 0;
  if (spec.completionMode !== 'Indexed' || completions <= 0) return [];
  const { name = '' } = job.metadata;
  const hostname = `${name}-${String(completions - 1)}`;
  if (dns1123LabelProblems(hostname).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [invalidValue('metadata.name', name, detail)];
}
