/**
 * Pod disruption budgets. policy/v1beta1 used to say with an expression of a selector that it selects
 * nothing, or all. Alone it still means that; beside others, or with another operator, it is taken away.
 *
 * In Kubernetes: registry/policy/poddisruptionbudget;
 * Convert_v1_PodDisruptionBudget_To_policy_PodDisruptionBudget, pkg/apis/policy/v1.
 */
import { items } from '../../json/go-values.ts';
import type { PodDisruptionBudget } from '../../generated/kinds/policy-v1.ts';
import { nameIsPathSegment } from '../../meta/names.ts';
import { isJsonObject } from '../../json/json.ts';
import { type FieldErrors, invalidValue, notSupported } from '../../field/field-errors.ts';
import { validateMetaConditions } from '../rules/status-validation.ts';
import { defineKind } from '../kind.ts';
import {
  validateLabelSelector,
  withoutSelectorValues,
} from '../rules/label-selector-validation.ts';
import { specChanged } from '../strategy-of.ts';
import {
  isMissing,
  nonNegativeAt,
  notMoreThan100Percent,
  positiveIntOrPercent,
} from '../rules/value-validation.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../../generated/kinds/meta-v1.ts';

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

/** The kind PodDisruptionBudget. */
export const podDisruptionBudgets = defineKind('policy/v1/poddisruptionbudgets', {
  rules: {
    validateName: nameIsPathSegment,
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    placesMetadataErrors: true,
    isNewGeneration: specChanged,
    status: {
      initial: () => Object.fromEntries(COUNTS.map((key) => [key, 0])),
      validateUpdate: validateStatus,
    },
    validate: (budget, metadataErrors = []) => {
      const errors = validateBudget(budget, false);
      return errors.length > 0 ? errors : metadataErrors;
    },
    validateUpdate: (budget, old) => validateBudget(budget, hasWrongSelector(old)),
  },
});

/** A selector that was wrong already may stay wrong in its values. */
function hasWrongSelector(budget: PodDisruptionBudget): boolean {
  return validateLabelSelector('', budget.spec.selector).length > 0;
}

function validateStatus(budget: PodDisruptionBudget): FieldErrors {
  const status = budget.status;
  return [
    ...validateMetaConditions('status.conditions', items(status.conditions)),
    ...nonNegativeAt('status', status, COUNTS),
  ];
}

function validateBudget(budget: PodDisruptionBudget, allowsSelectorValues: boolean): FieldErrors {
  const spec = budget.spec;
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  const isBoth = !isMissing(minAvailable) && !isMissing(maxUnavailable);
  const selectorErrors = validateLabelSelector('spec.selector', spec.selector);
  const isKnown = typeof policy === 'string' && EVICTION_POLICIES.includes(policy);
  return [
    ...(isBoth
      ? [invalidValue('spec', shown(budget), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...(['minAvailable', 'maxUnavailable'] as const).flatMap((key) => [
      ...positiveIntOrPercent(`spec.${key}`, spec[key]),
      ...notMoreThan100Percent(`spec.${key}`, spec[key]),
    ]),
    ...(allowsSelectorValues ? withoutSelectorValues(selectorErrors) : selectorErrors),
    ...(isMissing(policy) || isKnown
      ? []
      : [notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES)]),
  ];
}

/** As Go prints its internal form. */
function shown(budget: PodDisruptionBudget) {
  const spec = budget.spec;
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: isJsonObject(spec.selector) ? spec.selector : null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}

const KEY = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

/**
 * Drops the requirement by which v1beta1 told a selector of all pods from one of none, as
 * upstream's conversion does.
 */
export function settleEmptySelector({ spec: { selector } }: PodDisruptionBudget): void {
  const expressions = selector?.matchExpressions ?? [];
  const [first] = expressions;
  if (selector === undefined || !expressions.some(({ key }) => key === KEY)) return;
  if (expressions.length === 1 && first !== undefined && selectsNothing(selector, first)) return;
  const others = expressions.filter(({ key }) => key !== KEY);
  if (others.length === 0) delete selector.matchExpressions;
  else selector.matchExpressions = others;
}

function selectsNothing(selector: LabelSelector, one: LabelSelectorRequirement): boolean {
  const hasLabels = Object.keys(selector.matchLabels ?? {}).length > 0;
  return !hasLabels && one.operator === 'Exists' && (one.values ?? []).length === 0;
}
