/** What a policy that changes objects may say. In Kubernetes: ValidateMutatingAdmissionPolicy. */
import { listOf } from '../../../cel/cel-type.ts';
import type { Environment } from '../../../cel/environment.ts';
import { isJsonObject, stringAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { checkExpression, type ExpressionUse } from '../../rules/expression-check.ts';
import { oneOf, objectsAt, specOf } from '../../rules/value-validation.ts';
import { JSON_PATCH_TYPE, OBJECT_TYPE, environmentOf } from '../expression-environment.ts';
import { validateVariables } from '../expression-validation.ts';
import { hasParams, validatePolicyConditions, validatePolicyHead } from '../policy-validation.ts';
import { validateMutatingOperations } from '../rule-validation.ts';

const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];

export function validatePolicy(policy: KubeObject): FieldErrors {
  return validateSpec(specOf(policy), undefined);
}

export function validatePolicyChange(policy: KubeObject, old: KubeObject): FieldErrors {
  return validateSpec(specOf(policy), specOf(old));
}

function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldErrors {
  const mutations = objectsAt(spec, 'mutations');
  const surroundings = { hasParams: hasParams(spec), hasAuthorizer: true };
  const variables = validateVariables('spec.variables', objectsAt(spec, 'variables'), {
    ...surroundings,
    hasPatchTypes: false,
  });
  const environment = environmentOf({
    ...surroundings,
    hasPatchTypes: true,
    variables: variables.types,
  });
  return [
    ...validatePolicyHead(spec, validateMutatingOperations),
    ...validatePolicyConditions(spec, old),
    ...variables.errors,
    ...(mutations.length === 0
      ? [required('spec.mutations', 'mutations must contain at least one item')]
      : []),
    ...mutations.flatMap((mutation, index) =>
      validateMutation(indexPath('spec.mutations', index), mutation, environment),
    ),
    ...oneOf('spec.reinvocationPolicy', spec['reinvocationPolicy'], REINVOCATION_POLICIES),
  ];
}

function validateMutation(
  field: string,
  mutation: JsonObject,
  environment: Environment,
): FieldErrors {
  const type = stringAt(mutation, 'patchType');
  switch (type) {
    case '':
      return [required(`${field}.patchType`)];
    case 'JSONPatch':
      return validatePatch(field, mutation, {
        names: ['jsonPatch', 'applyConfiguration', type],
        use: { environment, results: [listOf(JSON_PATCH_TYPE)] },
      });
    case 'ApplyConfiguration':
      return validatePatch(field, mutation, {
        names: ['applyConfiguration', 'jsonPatch', type],
        use: { environment, results: [OBJECT_TYPE] },
      });
    default:
      return [notSupported(`${field}.patchType`, type, PATCH_TYPES)];
  }
}

interface PatchRules {
  /** The field that the type asks for, the other one, and the type. */
  readonly names: readonly [string, string, string];
  readonly use: ExpressionUse;
}

function validatePatch(
  field: string,
  mutation: JsonObject,
  { names: [wanted, other, type], use }: PatchRules,
): FieldErrors {
  const patch = mutation[wanted];
  const detail = (not: string): string => `must ${not}be specified when patchType is ${type}`;
  const errors = isJsonObject(patch)
    ? validateExpression(`${field}.${wanted}.expression`, patch, use)
    : [required(`${field}.${wanted}`, detail(''))];
  if (!isJsonObject(mutation[other])) return errors;
  return [...errors, invalidValue(`${field}.${other}`, `{${other}}`, detail('not '))];
}

function validateExpression(field: string, patch: JsonObject, use: ExpressionUse): FieldErrors {
  const expression = stringAt(patch, 'expression').trim();
  return expression === '' ? [required(field)] : checkExpression(field, expression, use).errors;
}
