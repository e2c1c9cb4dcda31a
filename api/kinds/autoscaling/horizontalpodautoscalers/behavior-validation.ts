/** How fast an autoscaler may scale. In Kubernetes: validateBehavior, pkg/apis/autoscaling. */
import { items } from '../../../json/go-values.ts';
import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
  HPAScalingPolicy,
} from '../../../generated/kinds/autoscaling-v2.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { nanosOf } from '../../rules/amount.ts';
import { isMissing } from '../../rules/value-validation.ts';

const POLICY_TYPES = ['Percent', 'Pods'];
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;

export function validateBehavior(
  field: string,
  behavior: HorizontalPodAutoscalerBehavior | undefined,
): FieldErrors {
  return [
    ...validateRules(`${field}.scaleUp`, behavior?.scaleUp),
    ...validateRules(`${field}.scaleDown`, behavior?.scaleDown),
  ];
}

function validateRules(field: string, rules: HPAScalingRules | undefined): FieldErrors {
  if (rules === undefined) return [];
  const { selectPolicy, tolerance } = rules;
  const policies = items(rules.policies);
  const select = rules.selectPolicy ?? '';
  return [
    ...validateWindow(`${field}.stabilizationWindowSeconds`, rules),
    ...(isMissing(selectPolicy) || SELECT_POLICIES.includes(select)
      ? []
      : [notSupported(`${field}.selectPolicy`, select, SELECT_POLICIES)]),
    ...(policies.length === 0
      ? [required(`${field}.policies`, 'must specify at least one Policy')]
      : []),
    ...policies.flatMap((policy, index) =>
      validatePolicy(indexPath(`${field}.policies`, index), policy),
    ),
    ...(nanosOf(tolerance) < 0n
      ? [invalidValue(`${field}.tolerance`, tolerance, 'must be greater than or equal to 0')]
      : []),
  ];
}

function validateWindow(field: string, rules: HPAScalingRules): FieldErrors {
  const seconds = rules.stabilizationWindowSeconds ?? 0;
  if (seconds < 0) {
    return [invalidValue(field, seconds, 'must be greater than or equal to zero')];
  }
  if (seconds <= WINDOW_SECONDS_MAX) return [];
  const detail = `must be less than or equal to ${String(WINDOW_SECONDS_MAX)}`;
  return [invalidValue(field, seconds, detail)];
}

function validatePolicy(field: string, policy: HPAScalingPolicy): FieldErrors {
  const type = policy.type;
  const value = policy.value;
  const period = policy.periodSeconds;
  const positive = 'must be greater than zero';
  const tooLong = `must be less than or equal to ${String(PERIOD_SECONDS_MAX)}`;
  return [
    ...(POLICY_TYPES.includes(type) ? [] : [notSupported(`${field}.type`, type, POLICY_TYPES)]),
    ...(value <= 0 ? [invalidValue(`${field}.value`, value, positive)] : []),
    ...(period <= 0 ? [invalidValue(`${field}.periodSeconds`, period, positive)] : []),
    ...(period > PERIOD_SECONDS_MAX
      ? [invalidValue(`${field}.periodSeconds`, period, tooLong)]
      : []),
  ];
}
