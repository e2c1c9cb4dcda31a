/**
 * Counts of replicas that cannot be larger than each other, in every status that has them.
 *
 * In Kubernetes: ValidateReplicaSetStatus and its kin, pkg/apis/apps/validation.
 */
import type { DaemonSet, Deployment, StatefulSet } from '../../generated/kinds/apps-v1.ts';
import { invalidValue, type FieldErrors } from '../../field/field-errors.ts';

type Count = 'replicas' | 'readyReplicas' | 'availableReplicas';

/** `parts` are counts of some of the replicas; `ready` is how the ready ones are called. */
export function validateReplicaCounts<Part extends string>(
  status: Readonly<Partial<Record<Part | Count, number>>>,
  parts: readonly Part[],
  ready = 'readyReplicas',
): FieldErrors {
  const count = (key: Part | Count): number => status[key] ?? 0;
  const tooMany = parts
    .filter((key) => count(key) > count('replicas'))
    .map((key) =>
      invalidValue(`status.${key}`, count(key), 'cannot be greater than status.replicas'),
    );
  const available = count('availableReplicas');
  return available > count('readyReplicas')
    ? [
        ...tooMany,
        invalidValue('status.availableReplicas', available, `cannot be greater than ${ready}`),
      ]
    : tooMany;
}

/** The count of hash collisions only ever rises. */
export function validateCollisionCount(
  object: DaemonSet | Deployment | StatefulSet,
  old: DaemonSet | Deployment | StatefulSet,
): FieldErrors {
  const count = object.status.collisionCount;
  const oldCount = old.status.collisionCount;
  const isLess = oldCount !== undefined && (count === undefined || count < oldCount);
  return isLess ? [invalidValue('status.collisionCount', count ?? 0, 'cannot be decremented')] : [];
}
