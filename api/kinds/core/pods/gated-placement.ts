/**
 * Where a gated pod may run can still be narrowed down, never widened.
 *
 * In Kubernetes: validateNodeSelectorMutation and validateNodeAffinityMutation.
 */
import type { NodeSelectorTerm, PodSpec } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { internalForm } from '../../internal-struct.ts';
import { sameValue } from '../../rules/same-value.ts';
import { shownMap } from '../../rules/value-validation.ts';

const TERMS =
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

export function validateGatedPlacement(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  return [...validateNodeSelector(spec, oldSpec), ...validateTerms(spec, oldSpec)];
}

function validateNodeSelector(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  const selector = spec.nodeSelector ?? {};
  const isKept = Object.entries(oldSpec.nodeSelector ?? {}).every(
    ([key, value]) => Object.hasOwn(selector, key) && selector[key] === value,
  );
  if (isKept) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalidValue('spec.nodeSelector', shownMap(spec.nodeSelector), detail)];
}

function validateTerms(spec: PodSpec, oldSpec: PodSpec): FieldErrors {
  const terms = termsOf(spec);
  const oldTerms = termsOf(oldSpec);
  if (oldTerms.length > 0 && oldTerms.length !== terms.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalidValue(TERMS, internalForm('[]NodeSelectorTerm', [...terms]), detail)];
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

function termsOf(spec: PodSpec): readonly NodeSelectorTerm[] {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return items(required?.nodeSelectorTerms);
}

/** A term without any requirement selects nothing, so adding to it would widen it. */
function hasOnlyAdditions(term: NodeSelectorTerm, oldTerm: NodeSelectorTerm): boolean {
  const keys = ['matchExpressions', 'matchFields'] as const;
  const isEmpty = (one: NodeSelectorTerm): boolean =>
    keys.every((key) => items(one[key]).length === 0);
  if (isEmpty(oldTerm) && !isEmpty(term)) return false;
  return keys.every((key) => {
    const requirements = items(term[key]);
    return items(oldTerm[key]).every((one, index) => sameValue(one, requirements[index]));
  });
}
