/** What a policy that changes objects may say. In Kubernetes: ValidateMutatingAdmissionPolicy. */
import { items } from '../../../json/go-values.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  Mutation,
} from '../../../generated/kinds/admissionregistration-v1.ts';
import { listOf } from '../../../cel/cel-type.ts';
import type { Environment } from '../../../cel/environment.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { checkExpression, type ExpressionUse } from '../../rules/expression-check.ts';
import { oneOf } from '../../rules/value-validation.ts';
import { JSON_PATCH_TYPE, OBJECT_TYPE, environmentOf } from '../expression-environment.ts';
import { validateVariables } from '../expression-validation.ts';
import { hasParams, validatePolicyConditions, validatePolicyHead } from '../policy-validation.ts';
import { validateMutatingOperations } from '../rule-validation.ts';

const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];

/** What is wrong with a new policy. */
export function validatePolicy({ spec }: MutatingAdmissionPolicy): FieldErrors {
  return validateSpec(spec, undefined);
}

/** Conditions that stay are not looked at again. */
export function validatePolicyChange(
  { spec }: MutatingAdmissionPolicy,
  old: MutatingAdmissionPolicy,
): FieldErrors {
  return validateSpec(spec, old.spec);
}

function validateSpec(
  spec: MutatingAdmissionPolicySpec,
  old: MutatingAdmissionPolicySpec | undefined,
): FieldErrors {
  const mutations = items(spec.mutations);
  const surroundings = { hasParams: hasParams(spec), hasAuthorizer: true };
  const variables = validateVariables('spec.variables', items(spec.variables), {
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
    ...oneOf('spec.reinvocationPolicy', spec.reinvocationPolicy, REINVOCATION_POLICIES),
  ];
}

function validateMutation(
  field: string,
  mutation: Mutation,
  environment: Environment,
): FieldErrors {
  const { patchType: type } = mutation;
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

type PatchField = 'applyConfiguration' | 'jsonPatch';

interface PatchRules {
  /** The field that the type asks for, the other one, and the type. */
  readonly names: readonly [PatchField, PatchField, string];
  readonly use: ExpressionUse;
}

function validatePatch(
  field: string,
  mutation: Mutation,
  { names: [wanted, other, type], use }: PatchRules,
): FieldErrors {
  const patch = mutation[wanted];
  const detail = (not: string): string => `must ${not}be specified when patchType is ${type}`;
  const errors =
    patch === undefined
      ? [required(`${field}.${wanted}`, detail(''))]
      : validateExpression(`${field}.${wanted}.expression`, patch.expression ?? '', use);
  if (mutation[other] === undefined) return errors;
  return [...errors, invalidValue(`${field}.${other}`, `{${other}}`, detail('not '))];
}

function validateExpression(field: string, text: string, use: ExpressionUse): FieldErrors {
  const expression = text.trim();
  return expression === '' ? [required(field)] : checkExpression(field, expression, use).errors;
}
