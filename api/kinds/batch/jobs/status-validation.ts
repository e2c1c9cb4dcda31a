/**
 * The status of a job: counters do not fall, and a job that ended stays ended.
 *
 * In Kubernetes: ValidateJobStatusUpdate, pkg/apis/batch/validation.
 */
import type { Job, JobStatus } from '../../../generated/kinds/batch-v1.ts';
import { numberAt, objectAt } from '../../../json/json.ts';
import {
  duplicateValue,
  invalidValue,
  required,
  type FieldError,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { isMissing, nonNegativeAt, stringsAt } from '../../rules/value-validation.ts';
import { validateIndexes } from './indexes-validation.ts';
import { jobChange, type JobChange } from './job-state.ts';

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'];

export function validateJobStatus(job: Job, old: Job): FieldErrors {
  const change = jobChange(job, old);
  return [
    ...nonNegativeAt('status', change.status, COUNTS),
    ...validateUncounted(change.status),
    ...validateEnd(change),
    ...validateFinished(change),
    ...validateIndexes(change),
    ...validateRunning(change),
    ...validateSuccess(change),
    ...validateKeptConditions(change),
    ...validateCounters(change),
    ...validateTimes(change),
    ...validateKeptSuccess(change),
  ];
}

function validateUncounted(status: JobStatus): FieldErrors {
  const pods = status.uncountedTerminatedPods;
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((key) =>
    stringsAt(pods, key).flatMap((uid, index) => {
      const field = indexPath(`status.uncountedTerminatedPods.${key}`, index);
      if (uid === '') return [invalidValue(field, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicateValue(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** What must be true of a job that is complete or has failed. */
function validateEnd(change: JobChange): FieldErrors {
  const { status, has, turns, changes } = change;
  const { completionTime, startTime } = status;
  const field = 'status.completionTime';
  const isDated = turns('Complete') || changes('completionTime');
  const isBackwards =
    changes('startTime', 'completionTime') &&
    !isMissing(startTime) &&
    (status.completionTime ?? '') !== '' &&
    Date.parse(status.completionTime ?? '') < Date.parse(status.startTime ?? '');
  const early = 'cannot set completionTime when there is no Complete=True condition';
  const late = 'completionTime is required for Complete jobs';
  const isComplete = has('Complete');
  return [
    ...when(turns('Complete', 'Failed') && isComplete && has('Failed'), () =>
      conditions('cannot set Complete=True and Failed=true conditions'),
    ),
    ...when(turns('Complete', 'FailureTarget') && isComplete && has('FailureTarget'), () =>
      conditions('cannot set Complete=True and FailureTarget=true conditions'),
    ),
    ...when(isDated && !isMissing(completionTime) && !isComplete, () =>
      invalidValue(field, completionTime, early),
    ),
    ...when(isDated && isMissing(completionTime) && isComplete, () => required(field, late)),
    ...when(isBackwards, () =>
      invalidValue(field, completionTime, 'must be equal to or after `startTime`'),
    ),
    ...when(
      (turns('Failed') || changes('failedIndexes')) && has('Failed') && !has('FailureTarget'),
      () => conditions('cannot set Failed=True condition without the FailureTarget=true condition'),
    ),
    ...when(
      turns('Complete', 'SuccessCriteriaMet') && isComplete && !has('SuccessCriteriaMet'),
      () =>
        conditions(
          'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
        ),
    ),
  ];
}

function validateFinished({ spec, status, changes, isFinished, isFinishing }: JobChange) {
  const key = 'uncountedTerminatedPods';
  const pods = objectAt(status, key);
  const count = stringsAt(pods, 'succeeded').length + stringsAt(pods, 'failed').length;
  const active = status.active ?? 0;
  const isEmpty = spec.suspend === true && spec.completions === 0;
  const isStartDue = (isFinishing || changes('startTime')) && !isEmpty;
  if (!isFinished) return [];
  return [
    ...when((isFinishing || changes('active')) && active > 0, () =>
      invalidValue('status.active', active, 'active>0 is invalid for finished job'),
    ),
    ...when(isStartDue && isMissing(status.startTime), () =>
      required('status.startTime', 'startTime is required for finished job'),
    ),
    ...when((isFinishing || changes(key)) && count > 0, () =>
      invalidValue(
        `status.${key}`,
        internalForm('UncountedTerminatedPods', pods),
        'must be empty for finished job',
      ),
    ),
  ];
}

function validateRunning({ status, changes, isFinished, isFinishing }: JobChange): FieldErrors {
  const terminating = status.terminating ?? 0;
  const ready = status.ready ?? 0;
  const isEnding = isFinished && (isFinishing || changes('terminating'));
  const ended = 'terminating>0 is invalid for finished job';
  const isMore = !isMissing(status.ready) && ready > (status.active ?? 0);
  return [
    ...when(isEnding && terminating > 0, () =>
      invalidValue('status.terminating', terminating, ended),
    ),
    ...when(changes('ready', 'active') && isMore, () =>
      invalidValue('status.ready', ready, 'cannot set more ready pods than active'),
    ),
  ];
}

function validateSuccess({ spec, has }: JobChange): FieldErrors {
  const isMet = has('SuccessCriteriaMet');
  const unmet =
    'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
  return [
    ...['Failed', 'FailureTarget'].flatMap((type) =>
      when(isMet && has(type), () =>
        conditions(`cannot set SuccessCriteriaMet=True and ${type}=true conditions`),
      ),
    ),
    ...when(!isMissing(spec.successPolicy) && !isMet && has('Complete'), () => conditions(unmet)),
  ];
}

function validateKeptConditions({ has, had }: JobChange): FieldErrors {
  return ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => had(type) && !has(type))
    .map((type) => conditions(`cannot disable the terminal ${type}=True condition`));
}

/** The successes of an indexed job that shrinks may become fewer. */
function validateCounters({ spec, status, oldStatus }: JobChange): FieldErrors {
  const isElastic =
    spec.completionMode === 'Indexed' && sameValue(spec.completions, spec.parallelism);
  return ['failed', ...(isElastic ? [] : ['succeeded'])].flatMap((key) => {
    const count = numberAt(status, key) ?? 0;
    if (count >= (numberAt(oldStatus, key) ?? 0)) return [];
    return [invalidValue(`status.${key}`, count, `cannot decrease the ${key} counter`)];
  });
}

function validateTimes({ spec, status, oldStatus, changes, isResuming }: JobChange): FieldErrors {
  const { completionTime } = status;
  const isMoved =
    changes('completionTime') && !isMissing(completionTime) && !isMissing(oldStatus.completionTime);
  const isStartMoved = changes('startTime') && !isMissing(oldStatus.startTime);
  const started = 'field is immutable for unsuspended job once set';
  return [
    ...when(isMoved, () =>
      invalidValue('status.completionTime', completionTime, 'field is immutable'),
    ),
    ...when(isStartMoved && !isResuming && spec.suspend !== true, () =>
      invalidValue('status.startTime', status.startTime ?? null, started),
    ),
  ];
}

function validateKeptSuccess({ has, had }: JobChange): FieldErrors {
  const type = 'SuccessCriteriaMet';
  const after = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
  return [
    ...when(had(type) && !has(type), () =>
      conditions('cannot disable the SuccessCriteriaMet=True condition'),
    ),
    ...when(had('Complete') && !had(type) && has(type), () => conditions(after)),
  ];
}

function when(isWrong: boolean, error: () => FieldError): FieldErrors {
  return isWrong ? [error()] : [];
}

/** An error whose value upstream leaves out. */
function conditions(detail: string): FieldError {
  return {
    type: 'FieldValueInvalid',
    field: 'status.conditions',
    body: `Invalid value: ${detail}`,
  };
}
