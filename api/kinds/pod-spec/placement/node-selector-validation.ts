/** Which nodes something can be on. In Kubernetes: ValidateNodeSelector, pkg/apis/core/validation. */
import { flatMapItems } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type {
  NodeSelector,
  NodeSelectorTerm,
  NodeSelectorRequirement,
} from '../../../generated/kinds/core-v1.ts';
import {
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor } from '../../rules/value-validation.ts';

/** ValidateNodeSelector: at least one term, which may be empty. */
export function validateNodeSelector(field: string, selector: NodeSelector): FieldErrors {
  const terms = items(selector.nodeSelectorTerms);
  const path = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(path, 'must have at least one node selector term')];
  return flatMapItems(terms, (term, index) => validateNodeTerm(indexPath(path, index), term, true));
}

/** Values of what is only preferred are not looked at. */
export function validateNodeTerm(
  field: string,
  term: NodeSelectorTerm,
  looksAtValues: boolean,
): FieldErrors {
  return [
    ...flatMapItems(items(term.matchExpressions), (requirement, index) =>
      validateLabelRequirement(
        indexPath(`${field}.matchExpressions`, index),
        requirement,
        looksAtValues,
      ),
    ),
    ...flatMapItems(items(term.matchFields), (requirement, index) =>
      validateFieldRequirement(indexPath(`${field}.matchFields`, index), requirement),
    ),
  ];
}

function validateLabelRequirement(
  field: string,
  requirement: NodeSelectorRequirement,
  looksAtValues: boolean,
): FieldErrors {
  const key = requirement.key;
  const values = items(requirement.values);
  return [
    ...validateOperator(field, requirement.operator, values.length),
    ...invalidFor(`${field}.key`, key, qualifiedNameProblems(key)),
    ...(looksAtValues ? values : []).flatMap((value, index) =>
      invalidFor(indexPath(`${field}.values`, index), value, labelValueProblems(value)),
    ),
  ];
}

function validateOperator(field: string, operator: string, count: number): FieldErrors {
  const values = `${field}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0
        ? []
        : [required(values, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0
        ? []
        : [
            forbiddenField(
              values,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    case 'Gt':
    case 'Lt':
      return count === 1
        ? []
        : [required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

/** The only field of a node that can be asked for is its name. */
function validateFieldRequirement(
  field: string,
  requirement: NodeSelectorRequirement,
): FieldErrors {
  const key = requirement.key;
  const operator = requirement.operator;
  const values = items(requirement.values);
  const isKnown = operator === 'In' || operator === 'NotIn';
  const one = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(isKnown
      ? []
      : [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')]),
    ...(isKnown && values.length !== 1 ? [required(`${field}.values`, one)] : []),
    ...(key === 'metadata.name'
      ? flatMapItems(values, (value, index) =>
          invalidFor(indexPath(`${field}.values`, index), value, dns1123SubdomainProblems(value)),
        )
      : [invalidValue(`${field}.key`, key, 'not a valid field selector key')]),
  ];
}
