/** What a policy that judges may say. In Kubernetes: ValidateValidatingAdmissionPolicy. */
import { items } from '../../../json/go-values.ts';
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../../generated/kinds/admissionregistration-v1.ts';
import { BOOL, NULL, STRING, type CelType } from '../../../cel/cel-type.ts';
import type { JsonObject } from '../../../json/json.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import { flatMapItems, remembered, stepped } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { parseJsonPath } from '../../../json-path/json-path-parser.ts';
import { validateMetaConditions } from '../../rules/status-validation.ts';
import { checkExpression, type ExpressionUse } from '../../rules/expression-check.ts';
import { invalidFor, repeatsIn } from '../../rules/value-validation.ts';
import { environmentOf } from '../expression-environment.ts';
import { EXPRESSION_STEPS, validateVariables } from '../expression-validation.ts';
import { hasParams, validatePolicyConditions, validatePolicyHead } from '../policy-validation.ts';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const AUDIT_ANNOTATIONS_MAX = 20;
const VALUE_BYTES_MAX = 5 * 1024;
const AUDIT = 'spec.auditAnnotations';
const LINE_BREAK = /[\n\r]/;

/** What is wrong with a new policy. */
export function validatePolicy(policy: ValidatingAdmissionPolicy): FieldErrors {
  return validateSpec(policy, undefined);
}

/** Conditions that stay are not looked at again. */
export function validatePolicyChange(
  policy: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicy,
): FieldErrors {
  return validateSpec(policy, old.spec);
}

/** Of what the controller that checks types has found. */
export function validatePolicyStatus({ status }: ValidatingAdmissionPolicy): FieldErrors {
  const warnings = items(status.typeChecking?.expressionWarnings);
  return [
    ...warnings.flatMap(({ warning, fieldRef }, index) => {
      const field = indexPath('status.typeChecking.expressionWarnings', index);
      return [
        ...(warning === '' ? [required(`${field}.warning`)] : []),
        ...validateFieldRef(`${field}.fieldRef`, fieldRef.trim()),
      ];
    }),
    ...validateMetaConditions('status.conditions', items(status.conditions)),
  ];
}

function validateSpec(
  { metadata, spec }: ValidatingAdmissionPolicy,
  old: ValidatingAdmissionPolicySpec | undefined,
): FieldErrors {
  const variables = validateVariables('spec.variables', items(spec.variables), {
    hasParams: hasParams(spec),
    hasAuthorizer: true,
    hasPatchTypes: false,
  });
  return [
    ...validatePolicyHead(spec),
    ...validatePolicyConditions(spec, old),
    ...variables.errors,
    ...validateJudgements(metadata.name ?? '', spec, {
      hasParams: hasParams(spec),
      variables: items(spec.variables).length === 0 ? undefined : variables.types,
    }),
  ];
}

/** What the expressions of one policy can speak of. */
interface Scope {
  readonly hasParams: boolean;
  readonly variables: ReadonlyMap<string, CelType> | undefined;
}

function useOf(scope: Scope, hasAuthorizer: boolean, results: readonly CelType[]): ExpressionUse {
  return { environment: environmentOf({ ...scope, hasAuthorizer, hasPatchTypes: false }), results };
}

function validateJudgements(
  policyName: string,
  spec: ValidatingAdmissionPolicySpec,
  scope: Scope,
): FieldErrors {
  const validations = items(spec.validations);
  const annotations = items(spec.auditAnnotations);
  if (validations.length + annotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [required('spec.validations', detail), required(AUDIT, detail)];
  }
  return [
    ...flatMapItems(validations, (validation, index) => {
      stepped(EXPRESSION_STEPS);
      return validateJudgement(indexPath('spec.validations', index), validation, scope);
    }),
    ...validateAudit(annotations, policyName, scope),
  ];
}

function validateJudgement(field: string, validation: Validation, scope: Scope): FieldErrors {
  const { expression, message = '', messageExpression = '', reason } = validation;
  const empty = 'must be non-empty if specified';
  const isBlank = (text: string): boolean => text !== '' && text.trim() === '';
  return [
    ...(expression.trim() === ''
      ? [required(`${field}.expression`, 'expression is not specified')]
      : checkExpression(`${field}.expression`, expression, useOf(scope, true, [BOOL])).errors),
    ...(isBlank(messageExpression)
      ? [invalidValue(`${field}.messageExpression`, messageExpression, empty)]
      : []),
    ...(messageExpression.trim() === ''
      ? []
      : checkExpression(
          `${field}.messageExpression`,
          messageExpression,
          useOf(scope, false, [STRING]),
        ).errors),
    ...(isBlank(message) ? [invalidValue(`${field}.message`, message, empty)] : []),
    ...(LINE_BREAK.test(message.trim())
      ? [invalidValue(`${field}.message`, message, 'must not contain line breaks')]
      : []),
    ...(reason === undefined || REASONS.includes(reason)
      ? []
      : [notSupported(`${field}.reason`, reason, REASONS)]),
  ];
}

function validateAudit(
  annotations: readonly AuditAnnotation[],
  policyName: string,
  scope: Scope,
): FieldErrors {
  const keys = annotations.map((annotation) => annotation.key);
  const repeats = remembered(() => repeatsIn(keys));
  const most = `must not have more than ${String(AUDIT_ANNOTATIONS_MAX)} auditAnnotations`;
  return [
    ...(annotations.length > AUDIT_ANNOTATIONS_MAX
      ? [invalidValue(AUDIT, annotations.map(internalAnnotation), most)]
      : []),
    ...flatMapItems(annotations, (annotation, index) => {
      stepped(EXPRESSION_STEPS);
      const field = indexPath(AUDIT, index);
      const key = keys[index] ?? '';
      return [
        ...validateKey(`${field}.key`, key, policyName),
        ...validateValue(`${field}.valueExpression`, annotation.valueExpression, scope),
        ...(repeats[index] === true ? [duplicateValue(`${field}.key`, key)] : []),
      ];
    }),
  ];
}

/** As Go prints its internal form. */
function internalAnnotation({ key, valueExpression }: AuditAnnotation): JsonObject {
  return { Key: key, ValueExpression: valueExpression };
}

/** The key of the annotation that is written: the name of the policy stands before it. */
function validateKey(field: string, key: string, policyName: string): FieldErrors {
  if (policyName === '') {
    return [invalidValue(field, key, 'requires metadata.name be non-empty')];
  }
  const whole = `${policyName}/${key}`;
  return invalidFor(field, whole, qualifiedNameProblems(whole));
}

function validateValue(field: string, expression: string, scope: Scope): FieldErrors {
  const trimmed = expression.trim();
  if (trimmed === '') return [required(field, 'valueExpression is not specified')];
  if (Buffer.byteLength(trimmed) <= VALUE_BYTES_MAX) {
    return checkExpression(field, trimmed, useOf(scope, true, [STRING, NULL]), expression).errors;
  }
  return [required(field, `must not exceed ${String(VALUE_BYTES_MAX)} bytes in length`)];
}

function validateFieldRef(field: string, reference: string): FieldErrors {
  if (reference === '') return [required(field)];
  const parsed = parseJsonPath(`{${reference}}`);
  return parsed.ok ? [] : [invalidValue(field, reference, `invalid JSONPath: ${parsed.message}`)];
}
