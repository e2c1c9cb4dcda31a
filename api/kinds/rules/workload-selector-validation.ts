/**
 * The label selector by which a workload finds its pods: it must be there, ask for something,
 * and find the pods of the workload's own template; and it never changes.
 *
 * In Kubernetes: the beginning of ValidateDeploymentSpec and its kin, pkg/apis/apps/validation.
 */
import type {
  DaemonSet,
  Deployment,
  ReplicaSet,
  DeploymentSpec,
  ReplicaSetSpec,
  StatefulSetSpec,
} from '../../generated/kinds/apps-v1.ts';
import { invalidValue, required, type FieldErrors } from '../../field/field-errors.ts';
import { isEmptySelector, validateLabelSelector } from './label-selector-validation.ts';
import { validateTemplateMatches } from '../pod-spec/pod-template-validation.ts';
import { sameValue } from './same-value.ts';
import { isMissing, shownSelector } from './value-validation.ts';

const FIELD = 'spec.selector';

/** `kind` is the workload as the message about an empty selector calls it. */
export function validateWorkloadSelector(
  spec: DeploymentSpec | ReplicaSetSpec | StatefulSetSpec,
  kind: string,
): FieldErrors {
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
  spec: DeploymentSpec | ReplicaSetSpec | StatefulSetSpec,
  detail: string,
  validateTemplate: () => FieldErrors,
): FieldErrors {
  const { selector } = spec;
  if (validateLabelSelector(FIELD, selector).length > 0) {
    return [invalidValue(FIELD, shownSelector(selector), detail)];
  }
  return [...validateTemplateMatches('spec.template', spec, selector), ...validateTemplate()];
}

/** The selector of a workload never changes. */
export function validateSelectorChange(
  object: DaemonSet | Deployment | ReplicaSet,
  old: DaemonSet | Deployment | ReplicaSet,
): FieldErrors {
  const { selector } = object.spec;
  return sameValue(selector, old.spec.selector)
    ? []
    : [invalidValue(FIELD, shownSelector(selector), 'field is immutable')];
}
