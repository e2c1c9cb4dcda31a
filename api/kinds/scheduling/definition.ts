/**
 * Priority classes. Their generation is always 1.
 *
 * In Kubernetes: registry/scheduling/priorityclass; SetDefaults_PriorityClass, pkg/apis/scheduling/v1.
 */
import type { PriorityClass } from '../../generated/kinds/scheduling-v1.ts';
import { type FieldErrors, forbiddenField } from '../../field/field-errors.ts';
import { defineKind } from '../kind.ts';
import { immutable, isMissing, oneOf } from '../rules/value-validation.ts';

const USER_PRIORITY_MAX = 1_000_000_000;
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
/** What Kubernetes itself makes, by name. */
const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

/** The kind PriorityClass. */
export const priorityClasses = defineKind('scheduling.k8s.io/v1/priorityclasses', {
  rules: {
    isNewGeneration: () => false,
    validate: (priorityClass) => [
      ...validateValue(priorityClass),
      ...validatePreemption(priorityClass),
    ],
    validateUpdate: validateChange,
    deleteRefusal: (name) =>
      Object.hasOwn(SYSTEM_CLASSES, name)
        ? 'this is a system priority class and cannot be deleted'
        : undefined,
  },
});

function validateValue(priorityClass: PriorityClass): FieldErrors {
  const { name = '' } = priorityClass.metadata;
  const value = priorityClass.value;
  if (name.startsWith('system-')) return validateSystemClass(priorityClass, name, value);
  const max = String(USER_PRIORITY_MAX);
  return value > USER_PRIORITY_MAX
    ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${max}`)]
    : [];
}

function validateSystemClass(
  priorityClass: PriorityClass,
  name: string,
  value: number,
): FieldErrors {
  const problem = systemClassProblem(priorityClass, name, value);
  const detail = "priority class names with 'system-' prefix are reserved for system use only.";
  return problem === undefined
    ? []
    : [forbiddenField('metadata.name', `${detail} error: ${problem}`)];
}

function systemClassProblem(
  priorityClass: PriorityClass,
  name: string,
  value: number,
): string | undefined {
  const known = Object.hasOwn(SYSTEM_CLASSES, name) ? SYSTEM_CLASSES[name] : undefined;
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${String(known)}`;
  const isDefault = priorityClass.globalDefault === true;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePreemption(priorityClass: PriorityClass): FieldErrors {
  const policy = priorityClass.preemptionPolicy;
  return isMissing(policy) ? [] : oneOf('preemptionPolicy', policy, PREEMPTION_POLICIES);
}

function validateChange(priorityClass: PriorityClass, old: PriorityClass): FieldErrors {
  const isSame = priorityClass.value === old.value;
  return [
    ...(isSame ? [] : [forbiddenField('value', 'may not be changed in an update.')]),
    ...immutable('preemptionPolicy', priorityClass.preemptionPolicy, old.preemptionPolicy),
  ];
}

/** SetDefaults_PriorityClass: pods of the class preempt others. */
export function setPriorityClassDefaults(priorityClass: PriorityClass): void {
  priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
}
