/**
 * Which requests are served first. A write of their status changes nothing else at all.
 *
 * In Kubernetes: registry/flowcontrol.
 */
import { objectAt, stringAt } from '../../../api/meta/json.ts';
import { dns1123SubdomainProblems } from '../../../api/meta/names.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { invalidValue, required, type FieldErrors } from '../../../api/schema/field-errors.ts';
import type { Kind } from '../kind.ts';
import {
  carryOver,
  emptyStatus,
  specChanged,
  strategyOf,
  type StatusRules,
} from '../strategy-of.ts';
import { invalidFor, numberAt, specOf } from '../value-validation.ts';

const flowcontrol = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1' };
const PRECEDENCE_MAX = 10_000;

const status: StatusRules = {
  initial: emptyStatus,
  prepareForUpdate(object, old) {
    const metadata = { ...old.metadata };
    // The precondition is the client's, and who manages the fields is written anew.
    carryOver(metadata, object.metadata, 'resourceVersion');
    carryOver(metadata, object.metadata, 'managedFields');
    object.metadata = metadata;
  },
};

export const flowSchemas: Kind = {
  ...flowcontrol,
  resource: 'flowschemas',
  strategy: strategyOf({
    isNewGeneration: specChanged,
    status,
    validate: (schema) => [...validatePrecedence(schema), ...validatePriorityLevel(schema)],
  }),
};

export const priorityLevelConfigurations: Kind = {
  ...flowcontrol,
  resource: 'prioritylevelconfigurations',
  strategy: strategyOf({ isNewGeneration: specChanged, status }),
};

function validatePrecedence(schema: KubeObject): FieldErrors {
  const field = 'spec.matchingPrecedence';
  const precedence = numberAt(specOf(schema), 'matchingPrecedence') ?? 0;
  const isReserved = precedence === 1 && schema.metadata.name !== 'exempt';
  const reserved = "only the schema named 'exempt' may have matchingPrecedence 1";
  return [
    ...(precedence <= 0 ? [invalidValue(field, precedence, 'must be a positive value')] : []),
    ...(precedence > PRECEDENCE_MAX
      ? [invalidValue(field, precedence, `must not be greater than ${String(PRECEDENCE_MAX)}`)]
      : []),
    ...(isReserved ? [invalidValue(field, precedence, reserved)] : []),
  ];
}

function validatePriorityLevel(schema: KubeObject): FieldErrors {
  const field = 'spec.priorityLevelConfiguration.name';
  const name = stringAt(objectAt(specOf(schema), 'priorityLevelConfiguration'), 'name');
  return name === ''
    ? [required(field, 'must reference a priority level')]
    : invalidFor(field, name, dns1123SubdomainProblems(name));
}
