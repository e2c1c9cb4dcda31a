/**
 * The conditions of a CustomResourceDefinition. A condition keeps its place in the list, and the
 * time of its last transition as long as its status is the same. One of them tells whether its schemas
 * are structural: new definitions always have such, older ones may not.
 *
 * In Kubernetes: SetCRDCondition and its like, apiextensions-apiserver/pkg/apihelpers; the
 * nonstructuralschema controller, apiextensions-apiserver/pkg/controller.
 */
import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionStatus,
} from '../../../generated/kinds/apiextensions-v1.ts';
import {
  type FieldError,
  type FieldErrors,
  formatFieldErrors,
  invalidValue,
} from '../../../field/field-errors.ts';
import {
  structuralProblem,
  validateStructural,
} from '../../../structural-schema/structural-rules.ts';

type ConditionType =
  | 'NamesAccepted'
  | 'Established'
  | 'Terminating'
  | 'NonStructuralSchema'
  | 'KubernetesAPIApprovalPolicyConformant';

/** A condition as the controllers decide it, without its time. */
export interface Condition {
  /** As upstream names it: `Established`. */
  readonly type: ConditionType;
  /** `Unknown` where it has not been looked at yet. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word for programs. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Undefined when there is none of the type. */
export function conditionIn(
  { conditions }: CustomResourceDefinitionStatus,
  type: ConditionType,
): CustomResourceDefinitionCondition | undefined {
  return items(conditions).find((one) => one.type === type);
}

/** Whether the definition has the condition and it is true. */
export function hasCondition({ status }: CustomResourceDefinition, type: ConditionType): boolean {
  return conditionIn(status, type)?.status === 'True';
}

/** Whether they say the same, whenever that began. */
export function isSameCondition(
  condition: Condition,
  other: CustomResourceDefinitionCondition | undefined,
): boolean {
  return (
    other !== undefined &&
    other.status === condition.status &&
    (other.reason ?? '') === condition.reason &&
    (other.message ?? '') === condition.message
  );
}

/**
 * The status with the condition in it.
 *
 * @param now RFC 3339
 */
export function withCondition(
  status: CustomResourceDefinitionStatus,
  condition: Condition,
  now: string,
): CustomResourceDefinitionStatus {
  const { type, reason, message } = condition;
  const conditions = items(status.conditions);
  const before = conditions.find((one) => one.type === type);
  const wasSince = before?.lastTransitionTime ?? '';
  const isSame = before?.status === condition.status && wasSince !== '';
  const lastTransitionTime = isSame ? wasSince : now;
  const next = { ...before, type, status: condition.status, lastTransitionTime, reason, message };
  return {
    ...status,
    conditions:
      before === undefined
        ? [...conditions, next]
        : conditions.map((one) => (one === before ? next : one)),
  };
}

/** The status without the condition of that type. */
export function withoutCondition(
  status: CustomResourceDefinitionStatus,
  type: ConditionType,
): CustomResourceDefinitionStatus {
  return { ...status, conditions: items(status.conditions).filter((one) => one.type !== type) };
}

/** Undefined: all of them are. */
export function structureCondition(definition: CustomResourceDefinition): Condition | undefined {
  const { errors, unreadable } = structureErrors(definition);
  const type = 'NonStructuralSchema';
  if (unreadable !== '') {
    return { type, status: 'Unknown', reason: 'StructuralError', message: unreadable };
  }
  if (errors.length === 0) return undefined;
  const message = formatFieldErrors(errors);
  return { type, status: 'True', reason: 'Violations', message };
}

interface Structure {
  readonly errors: FieldErrors;
  /** Why a schema cannot even be looked at; '' when all can. */
  readonly unreadable: string;
}

function structureErrors({ spec }: CustomResourceDefinition): Structure {
  // What drops unknown fields is refused when it is not structural, and always was.
  if (spec.preserveUnknownFields !== true) return { errors: [], unreadable: '' };
  const kept = invalidValue('spec.preserveUnknownFields', true, 'must be false');
  const errors: FieldError[] = [kept];
  for (const [index, version] of items(spec.versions).entries()) {
    const schema = version.schema?.openAPIV3Schema;
    if (schema === undefined) continue;
    const problem = structuralProblem(schema);
    if (problem !== undefined) {
      const unreadable = `failed to check validation schema for version ${version.name}: ${problem}`;
      return { errors, unreadable };
    }
    const path = `spec.versions[${String(index)}].schema.openAPIV3Schema`;
    errors.push(...validateStructural(schema, path));
  }
  return { errors, unreadable: '' };
}
