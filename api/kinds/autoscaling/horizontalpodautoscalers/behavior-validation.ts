/** How fast an autoscaler may scale. In Kubernetes: validateBehavior, pkg/apis/autoscaling. */
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../json/json.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { nanosOf } from '../../rules/amount.ts';
import { isMissing, objectsAt } from '../../rules/value-validation.ts';

const POLICY_TYPES = ['Percent', 'Pods'];
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;

export function validateBehavior(field: string, behavior: JsonObject | undefined): FieldErrors {
  return [
    ...validateRules(`${field}.scaleUp`, objectAt(behavior, 'scaleUp')),
    ...validateRules(`${field}.scaleDown`, objectAt(behavior, 'scaleDown')),
  ];
}

function validateRules(field: string, rules: JsonObject | undefined): FieldErrors {
  if (rules === undefined) return [];
  const { selectPolicy, tolerance } = rules;
  const policies = objectsAt(rules, 'policies');
  const select = stringAt(rules, 'selectPolicy');
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

function validateWindow(field: string, rules: JsonObject): FieldErrors {
  const seconds = numberAt(rules, 'stabilizationWindowSeconds') ?? 0;
  if (seconds < 0) {
    return [invalidValue(field, seconds, 'must be greater than or equal to zero')];
  }
  if (seconds <= WINDOW_SECONDS_MAX) return [];
  const detail = `must be less than or equal to ${String(WINDOW_SECONDS_MAX)}`;
  return [invalidValue(field, seconds, detail)];
}

function validatePolicy(field: string, policy: JsonObject): FieldErrors {
  const type = stringAt(policy, 'type');
  const value = numberAt(policy, 'value') ?? 0;
  const period = numberAt(policy, 'periodSeconds') ?? 0;
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
