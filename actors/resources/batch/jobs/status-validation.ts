/**
 * The status of a job: counters do not fall, and a job that ended stays ended.
 * The formats of index lists are not looked at yet.
 *
 * In Kubernetes: ValidateJobStatusUpdate, pkg/apis/batch/validation.
 */
import { stringAt } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  invalidValue,
  required,
  type FieldError,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { sameValue } from '../../same-value.ts';
import {
  isMissing,
  nonNegativeAt,
  numberAt,
  objectsAt,
  specOf,
  statusOf,
} from '../../value-validation.ts';

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'];

export function validateJobStatus(job: KubeObject, old: KubeObject): FieldErrors {
  return [
    ...nonNegativeAt('status', statusOf(job), COUNTS),
    ...validateEnd(job, old),
    ...validateKeptConditions(job, old),
    ...validateCounters(job, old),
    ...validateTimes(job, old),
  ];
}

function has(job: KubeObject, type: string): boolean {
  return objectsAt(statusOf(job), 'conditions').some(
    (one) => stringAt(one, 'type') === type && stringAt(one, 'status') === 'True',
  );
}

function isFinished(job: KubeObject): boolean {
  return has(job, 'Complete') || has(job, 'Failed');
}

/** What must be true of a job at the moment when it ends. */
function validateEnd(job: KubeObject, old: KubeObject): FieldErrors {
  const status = statusOf(job);
  const isEnding = isFinished(job) && !isFinished(old);
  const isCompleting = has(job, 'Complete') && !has(old, 'Complete');
  const isFailing = has(job, 'Failed') && !has(old, 'Failed');
  const isEmpty = specOf(job)['suspend'] === true && specOf(job)['completions'] === 0;
  const active = numberAt(status, 'active') ?? 0;
  return [
    ...(isCompleting && isMissing(status['completionTime'])
      ? [required('status.completionTime', 'completionTime is required for Complete jobs')]
      : []),
    ...(isFailing && !has(job, 'FailureTarget')
      ? [conditions('cannot set Failed=True condition without the FailureTarget=true condition')]
      : []),
    ...(isCompleting && !has(job, 'SuccessCriteriaMet')
      ? [
          conditions(
            'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
          ),
        ]
      : []),
    ...(isEnding && active > 0
      ? [invalidValue('status.active', active, 'active>0 is invalid for finished job')]
      : []),
    ...(isEnding && !isEmpty && isMissing(status['startTime'])
      ? [required('status.startTime', 'startTime is required for finished job')]
      : []),
    ...(has(job, 'Complete') && has(job, 'Failed')
      ? [conditions('cannot set Complete=True and Failed=true conditions')]
      : []),
  ];
}

function validateKeptConditions(job: KubeObject, old: KubeObject): FieldErrors {
  const lost = (type: string): boolean => has(old, type) && !has(job, type);
  return [
    ...['Failed', 'Complete', 'FailureTarget']
      .filter(lost)
      .map((type) => conditions(`cannot disable the terminal ${type}=True condition`)),
    ...(lost('SuccessCriteriaMet')
      ? [conditions('cannot disable the SuccessCriteriaMet=True condition')]
      : []),
  ];
}

/** The successes of an indexed job that shrinks may become fewer. */
function validateCounters(job: KubeObject, old: KubeObject): FieldErrors {
  const spec = specOf(job);
  const isElastic =
    spec['completionMode'] === 'Indexed' && sameValue(spec['completions'], spec['parallelism']);
  return ['failed', ...(isElastic ? [] : ['succeeded'])].flatMap((key) => {
    const count = numberAt(statusOf(job), key) ?? 0;
    if (count >= (numberAt(statusOf(old), key) ?? 0)) return [];
    return [invalidValue(`status.${key}`, count, `cannot decrease the ${key} counter`)];
  });
}

function validateTimes(job: KubeObject, old: KubeObject): FieldErrors {
  const { completionTime, startTime } = statusOf(job);
  const oldCompletion = statusOf(old)['completionTime'];
  const oldStart = statusOf(old)['startTime'];
  const isCompletionMoved =
    !isMissing(completionTime) && !isMissing(oldCompletion) && completionTime !== oldCompletion;
  const isStartMoved = !isMissing(oldStart) && startTime !== oldStart;
  const isResuming = has(old, 'Suspended') && !has(job, 'Suspended');
  const isChanged =
    completionTime !== oldCompletion || has(job, 'Complete') !== has(old, 'Complete');
  const isEarly = isChanged && !isMissing(completionTime) && !has(job, 'Complete');
  const early = 'cannot set completionTime when there is no Complete=True condition';
  const started = 'field is immutable for unsuspended job once set';
  return [
    ...(isEarly ? [invalidValue('status.completionTime', completionTime, early)] : []),
    ...(isCompletionMoved
      ? [invalidValue('status.completionTime', completionTime, 'field is immutable')]
      : []),
    ...(isStartMoved && !isResuming && specOf(job)['suspend'] !== true
      ? [invalidValue('status.startTime', startTime, started)]
      : []),
  ];
}

/** An error whose value upstream leaves out. */
function conditions(detail: string): FieldError {
  return {
    type: 'FieldValueInvalid',
    field: 'status.conditions',
    body: `Invalid value: ${detail}`,
  };
}
