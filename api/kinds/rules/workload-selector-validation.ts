/**
 * The label selector by which a workload finds its pods: it must be there, ask for something,
 * and find the pods of the workload's own template; and it never changes.
 *
 * In Kubernetes: the beginning of ValidateDeploymentSpec and its kin, pkg/apis/apps/validation.
 */
import type { JsonObject } from '../../json/json.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import { invalidValue, required, type FieldErrors } from '../../field/field-errors.ts';
import { isEmptySelector, validateLabelSelector } from './label-selector-validation.ts';
import { validateTemplateMatches } from '../pod-spec/pod-template-validation.ts';
import { sameValue } from './same-value.ts';
import { isMissing, shownSelector, specOf } from './value-validation.ts';

const FIELD = 'spec.selector';

/** `kind` is the workload as the message about an empty selector calls it. */
export function validateWorkloadSelector(spec: JsonObject, kind: string): FieldErrors {
  const { selector } = spec;
  if (isMissing(selector)) return [required(FIELD)];
  return [
    ...validateLabelSelector(FIELD, selector),
    ...(isEmptySelector(selector)
      ? [invalidValue(FIELD, shownSelector(selector), `empty selector is invalid for ${kind}`)]
      : []),
  ];
}

/**
 * `validateTemplate` is asked only about a workload whose selector can be read at all; of another
 * one it is told `detail`, on top of what is wrong in particular.
 */
export function validateTemplateOfSelector(
  spec: JsonObject,
  detail: string,
  validateTemplate: () => FieldErrors,
): FieldErrors {
  const { selector } = spec;
  if (validateLabelSelector(FIELD, selector).length > 0) {
    return [invalidValue(FIELD, shownSelector(selector), detail)];
  }
  return [...validateTemplateMatches('spec.template', spec, selector), ...validateTemplate()];
}

export function validateSelectorChange(object: KubeObject, old: KubeObject): FieldErrors {
  const { selector } = specOf(object);
  return sameValue(selector, specOf(old)['selector'])
    ? []
    : [invalidValue(FIELD, shownSelector(selector), 'field is immutable')];
}
