/**
 * Selectors of nodes, by their labels and by their name: in affinities, volumes and devices.
 *
 * In Kubernetes: ValidateNodeSelector, pkg/apis/core/validation.
 */
import { stringAt, type JsonObject } from '../../api/meta/json.ts';
import {
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../api/meta/names.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../api/schema/field-errors.ts';
import { indexPath } from '../../api/schema/field-path.ts';
import { invalidFor, objectsAt, stringsAt } from './value-validation.ts';

export interface NodeSelectorLeniency {
  /** Values that no label can have, which the old object has already. */
  readonly allowsInvalidValues: boolean;
}

const STRICT: NodeSelectorLeniency = { allowsInvalidValues: false };
const NAME_FIELD = 'metadata.name';
const NO_OPERATOR = 'not a valid selector operator';

export function validateNodeSelector(
  field: string,
  selector: JsonObject,
  leniency: NodeSelectorLeniency = STRICT,
): FieldErrors {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  const path = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(path, 'must have at least one node selector term')];
  return terms.flatMap((term, index) =>
    validateNodeSelectorTerm(indexPath(path, index), term, leniency),
  );
}

export function validateNodeSelectorTerm(
  field: string,
  term: JsonObject,
  leniency: NodeSelectorLeniency = STRICT,
): FieldErrors {
  return [
    ...objectsAt(term, 'matchExpressions').flatMap((requirement, index) =>
      validateLabels(indexPath(`${field}.matchExpressions`, index), requirement, leniency),
    ),
    ...objectsAt(term, 'matchFields').flatMap((requirement, index) =>
      validateFields(indexPath(`${field}.matchFields`, index), requirement),
    ),
  ];
}

function validateLabels(
  field: string,
  requirement: JsonObject,
  { allowsInvalidValues }: NodeSelectorLeniency,
): FieldErrors {
  const key = stringAt(requirement, 'key');
  const values = stringsAt(requirement, 'values');
  return [
    ...validateOperator(field, stringAt(requirement, 'operator'), values.length),
    ...invalidFor(`${field}.key`, key, qualifiedNameProblems(key)),
    ...(allowsInvalidValues
      ? []
      : values.flatMap((value, index) =>
          invalidFor(indexPath(`${field}.values`, index), value, labelValueProblems(value)),
        )),
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
    case 'DoesNotExist': {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return valueCount === 0 ? [] : [forbiddenField(values, detail)];
    }
    case 'Gt':
    case 'Lt': {
      const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
      return valueCount === 1 ? [] : [required(values, detail)];
    }
    default:
      return [invalidValue(`${field}.operator`, operator, NO_OPERATOR)];
  }
}

function validateFields(field: string, requirement: JsonObject): FieldErrors {
  const operator = stringAt(requirement, 'operator');
  const key = stringAt(requirement, 'key');
  const values = stringsAt(requirement, 'values');
  const single =
    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  const isKnown = operator === 'In' || operator === 'NotIn';
  return [
    ...(isKnown && values.length !== 1 ? [required(`${field}.values`, single)] : []),
    ...(isKnown ? [] : [invalidValue(`${field}.operator`, operator, NO_OPERATOR)]),
    ...(key === NAME_FIELD
      ? values.flatMap((value, index) =>
          invalidFor(indexPath(`${field}.values`, index), value, dns1123SubdomainProblems(value)),
        )
      : [invalidValue(`${field}.key`, key, 'not a valid field selector key')]),
  ];
}
