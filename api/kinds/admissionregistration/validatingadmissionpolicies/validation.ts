/** What a policy that judges may say. In Kubernetes: ValidateValidatingAdmissionPolicy. */
import { BOOL, NULL, STRING, type CelType } from '../../../cel/cel-type.ts';
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { flatMapItems, remembered, stepped } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { parseJsonPath } from '../../../json-path/json-path-parser.ts';
import { validateMetaConditions } from '../../rules/condition-validation.ts';
import { checkExpression, type ExpressionUse } from '../../rules/expression-check.ts';
import { repeatsIn } from '../../rules/repeats.ts';
import {
  invalidFor,
  isMissing,
  objectsAt,
  specOf,
  statusOf,
} from '../../rules/value-validation.ts';
import { environmentOf } from '../expression-environment.ts';
import { EXPRESSION_STEPS, validateVariables } from '../expression-validation.ts';
import { hasParams, validatePolicyConditions, validatePolicyHead } from '../policy-validation.ts';

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const AUDIT_ANNOTATIONS_MAX = 20;
const VALUE_BYTES_MAX = 5 * 1024;
const AUDIT = 'spec.auditAnnotations';
const LINE_BREAK = /[\n\r]/;

export function validatePolicy(policy: KubeObject): FieldErrors {
  return validateSpec(policy, undefined);
}

export function validatePolicyChange(policy: KubeObject, old: KubeObject): FieldErrors {
  return validateSpec(policy, specOf(old));
}

export function validatePolicyStatus(policy: KubeObject): FieldErrors {
  const status = statusOf(policy);
  const warnings = objectsAt(objectAt(status, 'typeChecking'), 'expressionWarnings');
  return [
    ...warnings.flatMap((warning, index) => {
      const field = indexPath('status.typeChecking.expressionWarnings', index);
      return [
        ...(stringAt(warning, 'warning') === '' ? [required(`${field}.warning`)] : []),
        ...validateFieldRef(`${field}.fieldRef`, stringAt(warning, 'fieldRef').trim()),
      ];
    }),
    ...validateMetaConditions('status.conditions', objectsAt(status, 'conditions')),
  ];
}

function validateSpec(policy: KubeObject, old: JsonObject | undefined): FieldErrors {
  const spec = specOf(policy);
  const variables = validateVariables('spec.variables', objectsAt(spec, 'variables'), {
    hasParams: hasParams(spec),
    hasAuthorizer: true,
    hasPatchTypes: false,
  });
  return [
    ...validatePolicyHead(spec),
    ...validatePolicyConditions(spec, old),
    ...variables.errors,
    ...validateJudgements(policy, spec, {
      hasParams: hasParams(spec),
      variables: isMissing(spec['variables']) ? undefined : variables.types,
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

function validateJudgements(policy: KubeObject, spec: JsonObject, scope: Scope): FieldErrors {
  const validations = objectsAt(spec, 'validations');
  const annotations = objectsAt(spec, 'auditAnnotations');
  if (validations.length + annotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [required('spec.validations', detail), required(AUDIT, detail)];
  }
  return [
    ...flatMapItems(validations, (validation, index) => {
      stepped(EXPRESSION_STEPS);
      return validateJudgement(indexPath('spec.validations', index), validation, scope);
    }),
    ...validateAudit(annotations, policy.metadata.name ?? '', scope),
  ];
}

function validateJudgement(field: string, validation: JsonObject, scope: Scope): FieldErrors {
  const expression = stringAt(validation, 'expression');
  const message = stringAt(validation, 'message');
  const messageExpression = stringAt(validation, 'messageExpression');
  const reason = stringAt(validation, 'reason');
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
    ...(isMissing(validation['reason']) || REASONS.includes(reason)
      ? []
      : [notSupported(`${field}.reason`, reason, REASONS)]),
  ];
}

function validateAudit(
  annotations: readonly JsonObject[],
  policyName: string,
  scope: Scope,
): FieldErrors {
  const keys = annotations.map((annotation) => stringAt(annotation, 'key'));
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
        ...validateValue(
          `${field}.valueExpression`,
          stringAt(annotation, 'valueExpression'),
          scope,
        ),
        ...(repeats[index] === true ? [duplicateValue(`${field}.key`, key)] : []),
      ];
    }),
  ];
}

/** As Go prints its internal form. */
function internalAnnotation(annotation: JsonObject): JsonObject {
  return {
    Key: stringAt(annotation, 'key'),
    ValueExpression: stringAt(annotation, 'valueExpression'),
  };
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
