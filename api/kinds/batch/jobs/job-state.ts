/**
 * What changes in a job with a write of its status. Most rules are asked only where something
 * changes that they are about, so that a status which once was wrong can still be written.
 *
 * In Kubernetes: getStatusValidationOptions, registry/batch/job.
 */
import { items } from '../../../json/go-values.ts';
import type { JobSpec, JobStatus, Job } from '../../../generated/kinds/batch-v1.ts';
import { sameValue } from '../../rules/same-value.ts';

export interface JobChange {
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

export function jobChange(job: Job, old: Job): JobChange {
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
