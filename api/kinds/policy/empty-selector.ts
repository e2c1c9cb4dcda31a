/**
 * An expression that policy/v1beta1 used to say of a selector that it selects nothing, or all. Alone
 * it still means that; beside others, or with another operator, it is taken away.
 *
 * In Kubernetes: Convert_v1_PodDisruptionBudget_To_policy_PodDisruptionBudget, pkg/apis/policy/v1.
 */
import type { LabelSelector, LabelSelectorRequirement } from '../../generated/kinds/meta-v1.ts';
import type { PodDisruptionBudget } from '../../generated/kinds/policy-v1.ts';

const KEY = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

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
