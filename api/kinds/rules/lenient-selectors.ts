/**
 * A label selector that was wrong already may stay wrong, as far as values go that no label can
 * have.
 *
 * In Kubernetes: AllowInvalidLabelValueInSelector, apimachinery/pkg/apis/meta/v1/validation.
 */
import type { FieldErrors } from '../../field/field-errors.ts';

const SELECTOR_VALUE = /\.matchExpressions\[[0-9]+\]\.values\[[0-9]+\]$/;

/** The errors of a selector without those about values of its expressions. */
export function withoutSelectorValues(errors: FieldErrors): FieldErrors {
  return errors.filter(({ field }) => !SELECTOR_VALUE.test(field));
}
