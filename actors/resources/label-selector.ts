/**
 * Label selectors as they stand in objects (`matchLabels`, `matchExpressions`): whether they are
 * well-formed, whether they select given labels, and how they read as text.
 * A selector that is absent selects nothing; an empty one selects everything.
 *
 * In Kubernetes: apimachinery/pkg/apis/meta/v1/validation and LabelSelectorAsSelector.
 */
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../api/meta/json.ts';
import { qualifiedNameProblems, labelValueProblems } from '../../api/meta/names.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../api/schema/field-errors.ts';
import { invalidFor, objectsAt, stringEntriesAt, stringsAt } from './value-validation.ts';

type Value = JsonValue | undefined;

/** Labels, or the labels that a node must have. */
export function validateLabels(field: string, labels: Value): FieldErrors {
  const holder = { labels };
  return stringEntriesAt(holder, 'labels').flatMap(([key, value]) => [
    ...invalidFor(field, key, qualifiedNameProblems(key)),
    ...invalidFor(field, value, labelValueProblems(value)),
  ]);
}

export function validateLabelSelector(field: string, selector: Value): FieldErrors {
  if (!isJsonObject(selector)) return [];
  return [
    ...validateLabels(`${field}.matchLabels`, selector['matchLabels']),
    ...objectsAt(selector, 'matchExpressions').flatMap((requirement, index) =>
      validateRequirement(`${field}.matchExpressions[${String(index)}]`, requirement),
    ),
  ];
}

function validateRequirement(field: string, requirement: JsonObject): FieldErrors {
  const values = stringsAt(requirement, 'values');
  const key = stringAt(requirement, 'key');
  return [
    ...validateOperator(field, stringAt(requirement, 'operator'), values.length),
    ...invalidFor(`${field}.key`, key, qualifiedNameProblems(key)),
    ...values.flatMap((value, index) =>
      invalidFor(`${field}.values[${String(index)}]`, value, labelValueProblems(value)),
    ),
  ];
}

function validateOperator(field: string, operator: string, valueCount: number): FieldErrors {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return valueCount > 0
        ? []
        : [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return valueCount === 0
        ? []
        : [
            forbiddenField(
              `${field}.values`,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    default:
      return [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Whether it asks for nothing, which selects everything. */
export function isEmptySelector(selector: Value): boolean {
  return (
    isJsonObject(selector) &&
    stringEntriesAt(selector, 'matchLabels').length === 0 &&
    objectsAt(selector, 'matchExpressions').length === 0
  );
}

export function selectorMatches(selector: Value, labels: JsonObject): boolean {
  if (!isJsonObject(selector)) return false;
  return (
    stringEntriesAt(selector, 'matchLabels').every(([key, value]) => own(labels, key) === value) &&
    objectsAt(selector, 'matchExpressions').every((one) => requirementMatches(one, labels))
  );
}

function requirementMatches(requirement: JsonObject, labels: JsonObject): boolean {
  const value = own(labels, stringAt(requirement, 'key'));
  const values = stringsAt(requirement, 'values');
  switch (stringAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

/** As `kubectl get --selector` writes it, requirements sorted by key: `app=web,tier in (a,b)`. */
export function formatSelector(selector: Value): string {
  if (!isJsonObject(selector)) return '';
  const parts = [
    ...stringEntriesAt(selector, 'matchLabels').map(([key, value]) => ({
      key,
      text: `${key}=${value}`,
    })),
    ...objectsAt(selector, 'matchExpressions').map((requirement) => ({
      key: stringAt(requirement, 'key'),
      text: formatRequirement(requirement),
    })),
  ];
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}

function formatRequirement(requirement: JsonObject): string {
  const key = stringAt(requirement, 'key');
  const values = stringsAt(requirement, 'values').sort().join(',');
  switch (stringAt(requirement, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}

function own(labels: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}
