/**
 * The status of a job: counters do not fall, and a job that ended stays ended. Most rules are asked only
 * where something changes that they are about, so that a status which once was wrong can still be
 * written.
 *
 * In Kubernetes: ValidateJobStatusUpdate, pkg/apis/batch/validation; getStatusValidationOptions,
 * registry/batch/job.
 */
import { items } from '../../../json/go-values.ts';
import type { Job, JobSpec, JobStatus } from '../../../generated/kinds/batch-v1.ts';
import {
  duplicateValue,
  type FieldError,
  type FieldErrors,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { isMissing, nonNegativeAt } from '../../rules/value-validation.ts';
import { countIndexes, overlapOf } from '../job-indexes.ts';

const COUNTS: readonly (keyof JobStatus)[] = [
  'active',
  'succeeded',
  'failed',
  'ready',
  'terminating',
];

/** Most rules are asked only of a status that changes what they are about. */
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
  return (['succeeded', 'failed'] as const).flatMap((key) =>
    items(pods?.[key]).flatMap((uid, index) => {
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
  const pods = status[key];
  const count = items(pods?.succeeded).length + items(pods?.failed).length;
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
  const counters = isElastic ? (['failed'] as const) : (['failed', 'succeeded'] as const);
  return counters.flatMap((key) => {
    const count = status[key] ?? 0;
    if (count >= (oldStatus[key] ?? 0)) return [];
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

const COMPLETED = 'completedIndexes';
const FAILED = 'failedIndexes';

function validateIndexes(change: JobChange): FieldErrors {
  const { spec, status, changes } = change;
  const isIndexed = spec.completionMode === 'Indexed';
  const hasFailed = !isMissing(status[FAILED]);
  const hasLimit = !isMissing(spec.backoffLimitPerIndex);
  const completed = status[COMPLETED] ?? '';
  const failed = status[FAILED] ?? '';
  const notIndexed = 'cannot set non-empty completedIndexes when non-indexed completion mode';
  const unlimited = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
  return [
    ...(changes(COMPLETED) ? validateFormat(change, COMPLETED) : []),
    ...(changes(FAILED) && hasLimit && hasFailed ? validateFormat(change, FAILED) : []),
    ...(changes(COMPLETED) && completed !== '' && !isIndexed
      ? [invalidValue(`status.${COMPLETED}`, completed, notIndexed)]
      : []),
    ...(changes(FAILED) && !hasLimit && hasFailed
      ? [invalidValue(`status.${FAILED}`, failed, unlimited)]
      : []),
    ...(changes(COMPLETED, FAILED) ? validateOverlap(change) : []),
  ];
}

function validateFormat(
  { spec, status }: JobChange,
  key: typeof COMPLETED | typeof FAILED,
): FieldErrors {
  const completions = spec.completions;
  if (completions === undefined) return [];
  const text = status[key] ?? '';
  const parsed = countIndexes(text, completions);
  return parsed.ok
    ? []
    : [invalidValue(`status.${key}`, text, `error parsing ${key}: ${parsed.why}`)];
}

function validateOverlap({ spec, status }: JobChange): FieldErrors {
  const completions = spec.completions;
  if (completions === undefined || isMissing(status[FAILED])) return [];
  const failed = status[FAILED] ?? '';
  const index = overlapOf(status[COMPLETED] ?? '', failed, completions);
  if (index === undefined) return [];
  const detail = `failedIndexes and completedIndexes overlap at index: ${String(index)}`;
  return [invalidValue(`status.${FAILED}`, failed, detail)];
}

interface JobChange {
  readonly spec: JobSpec;
  readonly status: JobStatus;
  readonly oldStatus: JobStatus;
  /** Whether the job has the condition, being True. */
  readonly has: (type: string) => boolean;
  readonly had: (type: string) => boolean;
  /** Whether one of the conditions comes or goes. */
  readonly turns: (...types: readonly string[]) => boolean;
  /** Whether one of the fields of the status changes. */
  readonly changes: (...keys: readonly (keyof JobStatus)[]) => boolean;
  readonly isFinished: boolean;
  readonly isFinishing: boolean;
  /** It was suspended, and is not any more. */
  readonly isResuming: boolean;
}

/** What a write of the status changes. */
function jobChange(job: Job, old: Job): JobChange {
  const status = job.status;
  const oldStatus = old.status;
  const has = (type: string): boolean => hasCondition(status, type, 'True');
  const had = (type: string): boolean => hasCondition(oldStatus, type, 'True');
  const isFinished = has('Complete') || has('Failed');
  return {
    spec: job.spec,
    status,
    oldStatus,
    has,
    had,
    turns: (...types) => types.some((type) => has(type) !== had(type)),
    changes: (...keys) =>
      keys.some((key) => !sameValue(status[key] ?? null, oldStatus[key] ?? null)),
    isFinished,
    isFinishing: isFinished !== (had('Complete') || had('Failed')),
    isResuming: had('Suspended') && hasCondition(status, 'Suspended', 'False'),
  };
}

function hasCondition(status: JobStatus, type: string, value: string): boolean {
  return items(status.conditions).some((one) => one.type === type && one.status === value);
}
