/**
 * Label selectors as they stand in objects (`matchLabels`, `matchExpressions`): what is valid and
 * what they select. One that was wrong already may stay wrong, as far as values go that no label can
 * have. A selector that is absent selects nothing; an empty one selects everything.
 *
 * In Kubernetes: ValidateLabelSelector and AllowInvalidLabelValueInSelector,
 * apimachinery/pkg/apis/meta/v1/validation.
 */
import { flatMapItems, keysOf } from '../../json/work-in-slices.ts';
import type {
  LabelSelector as DeclaredSelector,
  LabelSelectorRequirement,
} from '../../generated/kinds/meta-v1.ts';
import { items } from '../../json/go-values.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import {
  type LabelSelector,
  type LabelSelectorObject,
  labelSelectorOf,
  NO_LABEL,
  selectsLabels,
} from '../../selectors/label-selector.ts';
import { labelValueProblems, qualifiedNameProblems } from '../../meta/names.ts';
import type { StringMap } from '../../meta/object-meta.ts';
import * as metadata from '../../validation/object-meta-validation-content.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { invalidFor } from './value-validation.ts';

type Value = JsonValue | undefined;
/** As decoding leaves it, null for a pointer that a client has not sent. */
type Selector = DeclaredSelector | null | undefined;

/** Labels, or the labels that a node must have. */
export function validateLabels(field: string, labels: Value): FieldErrors {
  // Decoding has made sure that a map of labels holds strings.
  return isJsonObject(labels) ? metadata.validateLabels(labels as StringMap, field) : [];
}

/** ValidateLabelSelector: labels, operators, and values that suit the operator. */
export function validateLabelSelector(field: string, selector: Selector): FieldErrors {
  if (selector === undefined || selector === null) return [];
  return [
    ...validateLabels(`${field}.matchLabels`, selector.matchLabels),
    ...flatMapItems(items(selector.matchExpressions), (requirement, index) =>
      validateRequirement(indexPath(`${field}.matchExpressions`, index), requirement),
    ),
  ];
}

function validateRequirement(field: string, requirement: LabelSelectorRequirement): FieldErrors {
  const { key, operator, values = [] } = requirement;
  return [
    ...validateOperator(field, operator, values.length),
    ...invalidFor(`${field}.key`, key, qualifiedNameProblems(key)),
    ...flatMapItems(values, (value, index) =>
      invalidFor(indexPath(`${field}.values`, index), value, labelValueProblems(value)),
    ),
  ];
}

function validateOperator(field: string, operator: string, valueCount: number): FieldErrors {
  const values = `${field}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return valueCount > 0
        ? []
        : [required(values, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return valueCount === 0
        ? []
        : [
            forbiddenField(
              values,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    default:
      return [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Whether it asks for nothing, which selects everything. */
export function isEmptySelector(selector: Selector): boolean {
  if (selector === undefined || selector === null) return false;
  const { matchLabels = {}, matchExpressions } = selector;
  return keysOf(matchLabels).length === 0 && items(matchExpressions).length === 0;
}

/** The selector that `selector` says; one that says it wrongly selects nothing. */
export function selectorOf(selector: Value): LabelSelector {
  const parsed = labelSelectorOf(objectForm(selector));
  return parsed.ok ? parsed.selector : NO_LABEL;
}

/** Decoding has made sure of the types inside. */
function objectForm(selector: Value): LabelSelectorObject | undefined {
  return isJsonObject(selector) ? selector : undefined;
}

/** Whether a selector of the wire's form selects these labels. */
export function selectorMatches(selector: Value, labels: Readonly<StringMap>): boolean {
  const object = objectForm(selector);
  return object !== undefined && selectsLabels(object, labels);
}

const SELECTOR_VALUE = /\.matchExpressions\[[0-9]+\]\.values\[[0-9]+\]$/;

/** The errors of a selector without those about values of its expressions. */
export function withoutSelectorValues(errors: FieldErrors): FieldErrors {
  return errors.filter(({ field }) => !SELECTOR_VALUE.test(field));
}
