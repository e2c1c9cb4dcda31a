/** What a flow schema may say. In Kubernetes: ValidateFlowSchema, pkg/apis/flowcontrol. */
import { isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { sameValue } from '../../rules/same-value.ts';
import { invalidFor, objectsAt, specOf } from '../../rules/value-validation.ts';
import { validateFlowConditions } from '../condition-validation.ts';
import { internalFlowSchemaSpec } from './internal-form.ts';
import { mandatoryFlowSchemas } from './mandatory.ts';
import { validatePolicyRule } from './rule-validation.ts';

const PRECEDENCE_MAX = 10_000;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];

export function validateFlowSchema(schema: KubeObject): FieldErrors {
  const spec = specOf(schema);
  return [
    ...validatePrecedence(schema),
    ...validateDistinguisher(spec['distinguisherMethod']),
    ...validatePriorityLevel(spec),
    ...objectsAt(spec, 'rules').flatMap((rule, index) =>
      validatePolicyRule(indexPath('spec.rules', index), rule),
    ),
    ...validateMandatory(schema),
    ...validateFlowConditions(schema),
  ];
}

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

/** The value is shown as Go prints its internal form. */
function validateDistinguisher(method: JsonObject[string]): FieldErrors {
  if (!isJsonObject(method)) return [];
  const type = stringAt(method, 'type');
  if (DISTINGUISHERS.includes(type)) return [];
  return [notSupported('spec.distinguisherMethod.type', { Type: type }, DISTINGUISHERS)];
}

function validatePriorityLevel(spec: JsonObject): FieldErrors {
  const field = 'spec.priorityLevelConfiguration.name';
  const name = stringAt(objectAt(spec, 'priorityLevelConfiguration'), 'name');
  return name === ''
    ? [required(field, 'must reference a priority level')]
    : invalidFor(field, name, dns1123SubdomainProblems(name));
}

function validateMandatory(schema: KubeObject): FieldErrors {
  const { name = '' } = schema.metadata;
  const mandatory = mandatoryFlowSchemas.get(name);
  const spec = specOf(schema);
  if (mandatory === undefined || sameValue(spec, mandatory)) return [];
  const detail = `spec of '${name}' must equal the fixed value`;
  return [invalidValue('spec', internalFlowSchemaSpec(spec), detail)];
}
