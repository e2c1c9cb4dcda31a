/**
 * Where a gated pod may run can still be narrowed down, never widened.
 *
 * In Kubernetes: validateNodeSelectorMutation and validateNodeAffinityMutation.
 */
import { objectAt, type JsonObject } from '../../../json/json.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { objectsAt, shownMap, stringEntriesAt } from '../../rules/value-validation.ts';

const TERMS =
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

export function validateGatedPlacement(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  return [...validateNodeSelector(spec, oldSpec), ...validateTerms(spec, oldSpec)];
}

function validateNodeSelector(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const selector = objectAt(spec, 'nodeSelector') ?? {};
  const isKept = stringEntriesAt(oldSpec, 'nodeSelector').every(
    ([key, value]) => Object.hasOwn(selector, key) && selector[key] === value,
  );
  if (isKept) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalidValue('spec.nodeSelector', shownMap(spec['nodeSelector']), detail)];
}

function validateTerms(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const terms = termsOf(spec);
  const oldTerms = termsOf(oldSpec);
  if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalidValue(TERMS, internalForm('[]NodeSelectorTerm', terms), detail)];
  }
  return oldTerms.flatMap((oldTerm, index) =>
    hasOnlyAdditions(terms[index] ?? {}, oldTerm)
      ? []
      : [
          invalidValue(
            indexPath(TERMS, index),
            internalForm('NodeSelectorTerm', terms[index]),
            'only additions are allowed (no mutations or deletions)',
          ),
        ],
  );
}

function termsOf(spec: JsonObject): JsonObject[] {
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const required = objectAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  return objectsAt(required, 'nodeSelectorTerms');
}

/** A term without any requirement selects nothing, so adding to it would widen it. */
function hasOnlyAdditions(term: JsonObject, oldTerm: JsonObject): boolean {
  const keys = ['matchExpressions', 'matchFields'];
  const isEmpty = (one: JsonObject): boolean =>
    keys.every((key) => objectsAt(one, key).length === 0);
  if (isEmpty(oldTerm) && !isEmpty(term)) return false;
  return keys.every((key) => {
    const requirements = objectsAt(term, key);
    const old = objectsAt(oldTerm, key);
    return old.every((one, index) => sameValue(one, requirements[index]));
  });
}
