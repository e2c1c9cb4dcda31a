/**
 * An expression that policy/v1beta1 used to say of a selector that it selects nothing, or all. Alone
 * it still means that; beside others, or with another operator, it is taken away.
 *
 * In Kubernetes: Convert_v1_PodDisruptionBudget_To_policy_PodDisruptionBudget, pkg/apis/policy/v1.
 */
import { listAt, objectAt, type JsonObject } from '../../../api/meta/json.ts';
import { objectsAt } from '../value-validation.ts';

const KEY = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

export function settleEmptySelector(budget: JsonObject): void {
  const selector = objectAt(objectAt(budget, 'spec'), 'selector');
  const expressions = objectsAt(selector, 'matchExpressions');
  if (selector === undefined || !expressions.some(({ key }) => key === KEY)) return;
  if (expressions.length === 1 && selectsNothing(selector, expressions[0] ?? {})) return;
  const others = expressions.filter(({ key }) => key !== KEY);
  if (others.length === 0) delete selector['matchExpressions'];
  else selector['matchExpressions'] = others;
}

function selectsNothing(selector: JsonObject, { operator, ...rest }: JsonObject): boolean {
  const hasLabels = Object.keys(objectAt(selector, 'matchLabels') ?? {}).length > 0;
  return !hasLabels && operator === 'Exists' && listAt(rest, 'values').length === 0;
}
