/**
 * Labels that a pod has in common with others, or has not, without saying their values.
 *
 * In Kubernetes: ValidateMatchLabelKeysAndMismatchLabelKeys, pkg/apis/core/validation.
 */
import type { LabelSelector } from '../../../generated/kinds/meta-v1.ts';
import { items } from '../../../json/go-values.ts';
import type {
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '../../../generated/kinds/core-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import { forbiddenField, invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor } from '../../rules/value-validation.ts';

/** `term` has the keys and the selector that they are added to. */
export function validateLabelKeys(
  field: string,
  term: TopologySpreadConstraint | PodAffinityTerm,
): FieldErrors {
  const matching = items(term.matchLabelKeys);
  const mismatching = 'mismatchLabelKeys' in term ? items(term.mismatchLabelKeys) : [];
  if (matching.length === 0 && mismatching.length === 0) return [];
  const selector = term.labelSelector;
  const others = new Set(mismatching);
  const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
  return [
    ...validateKeys(`${field}.matchLabelKeys`, matching, selector),
    ...validateKeys(`${field}.mismatchLabelKeys`, mismatching, selector),
    ...(selector === undefined ? [] : validateNotSelected(field, matching, selector)),
    ...matching.flatMap((key, index) =>
      others.has(key)
        ? [invalidValue(indexPath(`${field}.matchLabelKeys`, index), key, detail)]
        : [],
    ),
  ];
}

function validateKeys(
  field: string,
  keys: readonly string[],
  selector: LabelSelector | undefined,
): FieldErrors {
  if (keys.length > 0 && selector === undefined) {
    return [forbiddenField(field, 'must not be specified when labelSelector is not set')];
  }
  return keys.flatMap((key, index) =>
    invalidFor(indexPath(field, index), key, qualifiedNameProblems(key)),
  );
}

/**
 * The keys have been merged into the selector already, so one that stands in it once is right, and
 * one that stands there twice was selected by the client too.
 */
function validateNotSelected(
  field: string,
  keys: readonly string[],
  selector: LabelSelector,
): FieldErrors {
  const indexes = new Map(keys.map((key, index) => [key, index]));
  const seen = new Set(Object.keys(selector.matchLabels ?? {}));
  return items(selector.matchExpressions).flatMap((expression) => {
    const key = expression.key;
    const index = indexes.get(key);
    const isTwice = seen.has(key);
    seen.add(key);
    if (index === undefined || !isTwice) return [];
    const detail = 'exists in both matchLabelKeys and labelSelector';
    return [invalidValue(indexPath(field, index), key, detail)];
  });
}
