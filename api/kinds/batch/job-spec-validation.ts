/**
 * The spec of a job, which also stands in the template of a cron job, and warnings about it.
 *
 * In Kubernetes: validateJobSpec, pkg/apis/batch/validation; WarningsForJobSpec, pkg/api/job.
 */
import type { JobSpec } from '../../generated/kinds/batch-v1.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../field/field-errors.ts';
import { internalForm } from '../internal-struct.ts';
import { validateFailurePolicy, validateSuccessPolicy } from './job-policies-validation.ts';
import { validatePodTemplate } from '../pod-spec/pod-template-validation.ts';
import { validateDomainPrefixedPath } from '../rules/text-validation.ts';
import { isMissing, nonNegativeAt } from '../rules/value-validation.ts';

const COMPLETION_MODES = ['NonIndexed', 'Indexed'];
const REPLACEMENT_POLICIES = ['Failed', 'TerminatingOrFailed'];
const PARALLELISM_MAX = 100_000;
const MANY_MAX = 10_000;
const MANAGED_BY_BYTES_MAX = 63;

/** `old` is the spec before; what its pod template says already stays allowed. */
export function validateJobSpec(field: string, spec: JobSpec, old?: JobSpec): FieldErrors {
  return [
    ...nonNegativeAt(field, spec, [
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ]),
    ...validateFailureLimits(field, spec),
    ...validateManagedBy(`${field}.managedBy`, spec),
    ...validateCompletionMode(field, spec),
    ...validateFailurePolicy(field, spec),
    ...validateSuccess(field, spec),
    ...validateReplacementPolicy(field, spec),
    ...validatePodTemplate(`${field}.template`, spec, old),
    ...validateRestartPolicy(`${field}.template.spec.restartPolicy`, spec),
  ];
}

function validateFailureLimits(field: string, spec: JobSpec): FieldErrors {
  const isLimitMissing = !isMissing(spec.maxFailedIndexes) && isMissing(spec.backoffLimitPerIndex);
  return isLimitMissing
    ? [required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
    : [];
}

function validateManagedBy(field: string, spec: JobSpec): FieldErrors {
  if (isMissing(spec.managedBy)) return [];
  const name = spec.managedBy ?? '';
  return [
    ...validateDomainPrefixedPath(field, name),
    ...(Buffer.byteLength(name) > MANAGED_BY_BYTES_MAX
      ? [tooLong(field, MANAGED_BY_BYTES_MAX)]
      : []),
  ];
}

function validateSuccess(field: string, spec: JobSpec): FieldErrors {
  const { successPolicy } = spec;
  if (isMissing(successPolicy)) return [];
  if (spec.completionMode === 'Indexed') return validateSuccessPolicy(field, spec);
  const shown = internalForm('SuccessPolicy', successPolicy);
  return [invalidValue(`${field}.successPolicy`, shown, 'requires indexed completion mode')];
}

function validateCompletionMode(field: string, spec: JobSpec): FieldErrors {
  const mode = spec.completionMode;
  const modeField = `${field}.completionMode`;
  if (mode === 'Indexed') return validateIndexed(field, spec);
  const isUnknown = !isMissing(mode) && mode !== 'NonIndexed';
  if (isUnknown) return [notSupported(modeField, mode, COMPLETION_MODES)];
  const detail = 'requires indexed completion mode';
  return (['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
    .filter((key) => !isMissing(spec[key]))
    .map((key) => invalidValue(`${field}.${key}`, spec[key], detail));
}

function validateIndexed(field: string, spec: JobSpec): FieldErrors {
  const completions = spec.completions;
  const parallelism = spec.parallelism ?? 0;
  const failed = spec.maxFailedIndexes ?? 0;
  const max = String(PARALLELISM_MAX);
  return [
    ...(completions === undefined
      ? [required(`${field}.completions`, 'when completion mode is Indexed')]
      : []),
    ...(parallelism > PARALLELISM_MAX
      ? [
          invalidValue(
            `${field}.parallelism`,
            parallelism,
            `must be less than or equal to ${max} when completion mode is Indexed`,
          ),
        ]
      : []),
    ...(completions !== undefined && failed > completions
      ? [
          invalidValue(
            `${field}.maxFailedIndexes`,
            failed,
            'must be less than or equal to completions',
          ),
        ]
      : []),
    ...(failed > PARALLELISM_MAX
      ? [invalidValue(`${field}.maxFailedIndexes`, failed, `must be less than or equal to ${max}`)]
      : []),
    ...validateManyIndexes(field, spec),
  ];
}

/** With very many indexes fewer may run and fail. */
function validateManyIndexes(field: string, spec: JobSpec): FieldErrors {
  const completions = spec.completions ?? 0;
  if (completions <= PARALLELISM_MAX || isMissing(spec.backoffLimitPerIndex)) return [];
  const max = String(PARALLELISM_MAX);
  const most = String(MANY_MAX);
  const when = `when completions are above ${max} and used with backoff limit per index`;
  return [
    ...(isMissing(spec.maxFailedIndexes)
      ? [
          required(
            `${field}.maxFailedIndexes`,
            `must be specified when completions is above ${max}`,
          ),
        ]
      : []),
    ...(['parallelism', 'maxFailedIndexes'] as const)
      .filter((key) => (spec[key] ?? 0) > MANY_MAX)
      .map((key) =>
        invalidValue(`${field}.${key}`, spec[key], `must be less than or equal to ${most} ${when}`),
      ),
  ];
}

function validateReplacementPolicy(field: string, spec: JobSpec): FieldErrors {
  const policy = spec.podReplacementPolicy;
  const supported = isMissing(spec.podFailurePolicy)
    ? REPLACEMENT_POLICIES
    : REPLACEMENT_POLICIES.slice(0, 1);
  return isMissing(policy) || supported.includes(spec.podReplacementPolicy ?? '')
    ? []
    : [notSupported(`${field}.podReplacementPolicy`, policy, supported)];
}

/** Pods of a job end, so they never restart for ever. */
function validateRestartPolicy(field: string, spec: JobSpec): FieldErrors {
  const policy = spec.template.spec.restartPolicy ?? '';
  switch (policy) {
    case '':
    case 'Always':
      return [required(field, 'valid values: "OnFailure", "Never"')];
    case 'Never':
      return [];
    case 'OnFailure':
      return isMissing(spec.podFailurePolicy)
        ? []
        : [
            invalidValue(
              field,
              policy,
              'only "Never" is supported when podFailurePolicy is specified',
            ),
          ];
    default:
      return [notSupported(field, policy, ['OnFailure', 'Never'])];
  }
}
