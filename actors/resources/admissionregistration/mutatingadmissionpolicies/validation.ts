/** What a policy that changes objects may say. In Kubernetes: ValidateMutatingAdmissionPolicy. */
import { isJsonObject, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { oneOf, objectsAt, specOf } from '../../value-validation.ts';
import {
  validatePolicyConditions,
  validatePolicyHead,
  validateVariables,
} from '../policy-validation.ts';
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
  return [
    ...validatePolicyHead(spec, validateMutatingOperations),
    ...validatePolicyConditions(spec, old),
    ...validateVariables(spec),
    ...(mutations.length === 0
      ? [required('spec.mutations', 'mutations must contain at least one item')]
      : []),
    ...mutations.flatMap((mutation, index) =>
      validateMutation(indexPath('spec.mutations', index), mutation),
    ),
    ...oneOf('spec.reinvocationPolicy', spec['reinvocationPolicy'], REINVOCATION_POLICIES),
  ];
}

function validateMutation(field: string, mutation: JsonObject): FieldErrors {
  const type = stringAt(mutation, 'patchType');
  switch (type) {
    case '':
      return [required(`${field}.patchType`)];
    case 'JSONPatch':
      return validatePatch(field, mutation, ['jsonPatch', 'applyConfiguration', type]);
    case 'ApplyConfiguration':
      return validatePatch(field, mutation, ['applyConfiguration', 'jsonPatch', type]);
    default:
      return [notSupported(`${field}.patchType`, type, PATCH_TYPES)];
  }
}

/** The one of the two fields that the type asks for, and not the other. */
function validatePatch(
  field: string,
  mutation: JsonObject,
  [wanted, other, type]: readonly [string, string, string],
): FieldErrors {
  const patch = mutation[wanted];
  const detail = (not: string): string => `must ${not}be specified when patchType is ${type}`;
  const errors = isJsonObject(patch)
    ? validateExpression(`${field}.${wanted}.expression`, patch)
    : [required(`${field}.${wanted}`, detail(''))];
  if (!isJsonObject(mutation[other])) return errors;
  return [...errors, invalidValue(`${field}.${other}`, `{${other}}`, detail('not '))];
}

function validateExpression(field: string, patch: JsonObject): FieldErrors {
  return stringAt(patch, 'expression').trim() === '' ? [required(field)] : [];
}
