/**
 * The label selector by which a workload finds its pods: it must be there, ask for something,
 * and find the pods of the workload's own template; and it never changes.
 *
 * In Kubernetes: the beginning of ValidateDeploymentSpec and its kin, pkg/apis/apps/validation.
 */
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { invalidValue, required, type FieldErrors } from '../../api/schema/field-errors.ts';
import { isEmptySelector, validateLabelSelector } from './label-selector-validation.ts';
import { validateTemplateMatches } from './pod-template-validation.ts';
import { sameValue } from './same-value.ts';
import { isMissing, shownSelector, specOf } from './value-validation.ts';

const FIELD = 'spec.selector';

/** `kind` is the workload as the message about an empty selector calls it. */
export function validateWorkloadSelector(object: KubeObject, kind: string): FieldErrors {
  const selector = specOf(object)['selector'];
  if (isMissing(selector)) return [required(FIELD)];
  return [
    ...validateLabelSelector(FIELD, selector),
    ...(isEmptySelector(selector)
      ? [invalidValue(FIELD, shownSelector(selector), `empty selector is invalid for ${kind}`)]
      : []),
  ];
}

/** A selector with errors of its own matches nothing and is told only once. */
export function validateSelectorMatches(object: KubeObject): FieldErrors {
  const spec = specOf(object);
  const { selector } = spec;
  const problems = validateLabelSelector(FIELD, selector);
  if (problems.length > 0) {
    return [invalidValue(FIELD, shownSelector(selector), 'invalid label selector')];
  }
  return validateTemplateMatches('spec.template', spec, selector);
}

export function validateSelectorChange(object: KubeObject, old: KubeObject): FieldErrors {
  const { selector } = specOf(object);
  return sameValue(selector, specOf(old)['selector'])
    ? []
    : [invalidValue(FIELD, shownSelector(selector), 'field is immutable')];
}
