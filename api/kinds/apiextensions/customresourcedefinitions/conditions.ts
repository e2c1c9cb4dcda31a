/**
 * The conditions of a CustomResourceDefinition. A condition keeps its place in the list, and the
 * time of its last transition as long as its status is the same.
 *
 * In Kubernetes: SetCRDCondition and its like, apiextensions-apiserver/pkg/apihelpers.
 */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { objectsAt } from '../../rules/value-validation.ts';

export type ConditionType =
  | 'NamesAccepted'
  | 'Established'
  | 'Terminating'
  | 'NonStructuralSchema'
  | 'KubernetesAPIApprovalPolicyConformant';

export interface Condition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Undefined when there is none of the type. */
export function conditionIn(
  status: JsonObject | undefined,
  type: ConditionType,
): JsonObject | undefined {
  return objectsAt(status, 'conditions').find((one) => one['type'] === type);
}

/** Whether the definition, an object as it is stored, has the condition and it is true. */
export function hasCondition(definition: JsonObject, type: ConditionType): boolean {
  return stringAt(conditionIn(objectAt(definition, 'status'), type), 'status') === 'True';
}

/** Whether they say the same, whenever that began. */
export function isSameCondition(condition: Condition, other: JsonObject | undefined): boolean {
  return (
    other !== undefined &&
    stringAt(other, 'status') === condition.status &&
    stringAt(other, 'reason') === condition.reason &&
    stringAt(other, 'message') === condition.message
  );
}

/**
 * The status with the condition in it.
 *
 * @param now RFC 3339
 */
export function withCondition(status: JsonObject, condition: Condition, now: string): JsonObject {
  const { type, reason, message } = condition;
  const conditions = objectsAt(status, 'conditions');
  const before = conditions.find((one) => one['type'] === type);
  const wasSince = stringAt(before, 'lastTransitionTime');
  const isSame = stringAt(before, 'status') === condition.status && wasSince !== '';
  const lastTransitionTime = isSame ? wasSince : now;
  const next: JsonObject = {
    ...before,
    type,
    status: condition.status,
    lastTransitionTime,
    reason,
    message,
  };
  return {
    ...status,
    conditions:
      before === undefined
        ? [...conditions, next]
        : conditions.map((one) => (one === before ? next : one)),
  };
}

export function withoutCondition(status: JsonObject, type: ConditionType): JsonObject {
  const conditions = objectsAt(status, 'conditions').filter((one) => one['type'] !== type);
  return { ...status, conditions };
}
