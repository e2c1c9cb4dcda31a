/**
 * What changes in a job with a write of its status. Most rules are asked only where something
 * changes that they are about, so that a status which once was wrong can still be written.
 *
 * In Kubernetes: getStatusValidationOptions, registry/batch/job.
 */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { sameValue } from '../../rules/same-value.ts';
import { objectsAt, specOf, statusOf } from '../../rules/value-validation.ts';

export interface JobChange {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly oldStatus: JsonObject;
  /** Whether the job has the condition, being True. */
  readonly has: (type: string) => boolean;
  readonly had: (type: string) => boolean;
  /** Whether one of the conditions comes or goes. */
  readonly turns: (...types: readonly string[]) => boolean;
  /** Whether one of the fields of the status changes. */
  readonly changes: (...keys: readonly string[]) => boolean;
  readonly isFinished: boolean;
  readonly isFinishing: boolean;
  /** It was suspended, and is not any more. */
  readonly isResuming: boolean;
}

export function jobChange(job: KubeObject, old: KubeObject): JobChange {
  const status = statusOf(job);
  const oldStatus = statusOf(old);
  const has = (type: string): boolean => hasCondition(status, type, 'True');
  const had = (type: string): boolean => hasCondition(oldStatus, type, 'True');
  const isFinished = has('Complete') || has('Failed');
  return {
    spec: specOf(job),
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

function hasCondition(status: JsonObject, type: string, value: string): boolean {
  return objectsAt(status, 'conditions').some(
    (one) => stringAt(one, 'type') === type && stringAt(one, 'status') === value,
  );
}
