/** What surrounds the expressions of `x-kubernetes-validations`. */
import { resolveFieldPath } from '../../../cel/schema-field-path.ts';
import { stringAt, type JsonObject } from '../../../json/json.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldError,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { childPath, indexPath } from '../../../field/field-path.ts';
import { isMissing, objectsAt } from '../../rules/value-validation.ts';
import { structuralForm } from './schema-structure.ts';

const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];
const BLANK = 'must be non-empty if specified';
const BROKEN = 'must not contain line breaks';
const LINE_BREAK = /[\n\r]/;

export function ruleErrors(schema: JsonObject, path: string): FieldErrors {
  return objectsAt(schema, 'x-kubernetes-validations').flatMap((rule, index) => {
    const at = indexPath(childPath(path, 'x-kubernetes-validations'), index);
    return [
      ...textErrors(rule, at),
      ...reasonErrors(rule, at),
      ...fieldPathErrors(schema, rule, at),
    ];
  });
}

/** Of the rule and its message, the first thing that is wrong. */
function textErrors(rule: JsonObject, at: string): FieldErrors {
  const errors: FieldError[] = [];
  const message = stringAt(rule, 'message');
  const trimmedRule = stringAt(rule, 'rule').trim();
  const trimmedMessage = message.trim();
  if (trimmedRule === '') errors.push(required(`${at}.rule`, 'rule is not specified'));
  else if (message !== '' && trimmedMessage === '') {
    errors.push(invalidValue(`${at}.message`, message, BLANK));
  } else if (LINE_BREAK.test(trimmedMessage)) {
    errors.push(invalidValue(`${at}.message`, message, BROKEN));
  } else if (LINE_BREAK.test(trimmedRule) && trimmedMessage === '') {
    const detail = 'message must be specified if rule contains line breaks';
    errors.push(required(`${at}.message`, detail));
  }
  const expression = stringAt(rule, 'messageExpression');
  if (expression !== '' && expression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(required(`${at}.messageExpression`, detail));
  }
  return errors;
}

function reasonErrors(rule: JsonObject, at: string): FieldErrors {
  const { reason } = rule;
  if (isMissing(reason) || REASONS.includes(stringAt(rule, 'reason'))) return [];
  return [notSupported(`${at}.reason`, reason, REASONS)];
}

function fieldPathErrors(schema: JsonObject, rule: JsonObject, at: string): FieldErrors {
  const fieldPath = stringAt(rule, 'fieldPath');
  if (fieldPath === '') return [];
  const invalid = (detail: string) => invalidValue(`${at}.fieldPath`, fieldPath, detail);
  return [
    ...(fieldPath.trim() === '' ? [invalid(BLANK)] : []),
    ...(LINE_BREAK.test(fieldPath) ? [invalid(BROKEN)] : []),
    ...(isPathIn(schema, fieldPath) ? [] : [invalid('must be a valid path')]),
  ];
}

/** In a schema that cannot be read every path may be one. */
function isPathIn(schema: JsonObject, fieldPath: string): boolean {
  const form = structuralForm(schema);
  return form === undefined || resolveFieldPath(fieldPath, form).ok;
}
