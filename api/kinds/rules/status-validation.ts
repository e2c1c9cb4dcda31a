/**
 * What every status has in common: conditions, and counts of replicas that cannot be larger than
 * one another.
 *
 * In Kubernetes: ValidateConditions, apimachinery/pkg/apis/meta/v1/validation;
 * ValidateReplicaSetStatus and its kin, pkg/apis/apps/validation.
 */
import type { Condition } from '../../generated/kinds/meta-v1.ts';
import { qualifiedNameProblems, withFormat } from '../../meta/names.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { invalidFor, isMissing } from './value-validation.ts';
import type { DaemonSet, Deployment, StatefulSet } from '../../generated/kinds/apps-v1.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON_FORMAT = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON = new RegExp(`^${REASON_FORMAT}$`);
const REASON_SENTENCE = withFormat(
  'a condition reason must start with alphabetic character, optionally followed by a string of ' +
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON_FORMAT,
  ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
);
const REASON_BYTES_MAX = 1024;
const MESSAGE_BYTES_MAX = 32 * 1024;

/** ValidateConditions: of type, status, reason and time; each type once. */
export function validateMetaConditions(
  field: string,
  conditions: readonly Condition[],
): FieldErrors {
  const types = new Set<string>();
  return conditions.flatMap((condition, index) => {
    const path = indexPath(field, index);
    const type = condition.type;
    const isSecond = types.has(type);
    types.add(type);
    return [
      ...(isSecond ? [duplicateValue(`${path}.type`, type)] : []),
      ...validateMetaCondition(path, condition),
    ];
  });
}

function validateMetaCondition(field: string, condition: Condition): FieldErrors {
  const type = condition.type;
  const status = condition.status;
  const generation = condition.observedGeneration ?? 0;
  const isLong = Buffer.byteLength(condition.message) > MESSAGE_BYTES_MAX;
  return [
    ...invalidFor(`${field}.type`, type, qualifiedNameProblems(type)),
    ...(STATUSES.includes(status) ? [] : [notSupported(`${field}.status`, status, STATUSES)]),
    ...(generation < 0
      ? [
          invalidValue(
            `${field}.observedGeneration`,
            generation,
            'must be greater than or equal to zero',
          ),
        ]
      : []),
    ...(isMissing(condition.lastTransitionTime) ? [required(`${field}.lastTransitionTime`)] : []),
    ...validateReason(`${field}.reason`, condition.reason),
    ...(isLong ? [tooLong(`${field}.message`, MESSAGE_BYTES_MAX)] : []),
  ];
}

function validateReason(field: string, reason: string): FieldErrors {
  if (reason === '') return [required(field)];
  return [
    ...(REASON.test(reason) ? [] : [invalidValue(field, reason, REASON_SENTENCE)]),
    ...(Buffer.byteLength(reason) > REASON_BYTES_MAX ? [tooLong(field, REASON_BYTES_MAX)] : []),
  ];
}

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
