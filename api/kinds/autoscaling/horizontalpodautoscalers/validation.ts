/**
 * What an autoscaler may ask for, and how fast it may scale. What the old one has already stays
 * allowed: no replicas at all, and references without a proper version.
 *
 * In Kubernetes: ValidateHorizontalPodAutoscaler and validateBehavior,
 * pkg/apis/autoscaling/validation.
 */
import { flatMapItems } from '../../../json/work-in-slices.ts';
import { items } from '../../../json/go-values.ts';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../../../generated/kinds/autoscaling-v2.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  type GroupRule,
  validateMetric,
  validateReference,
  versionProblem,
} from './metric-validation.ts';
import { nanosOf } from '../../rules/resource-names.ts';
import { isMissing } from '../../rules/value-validation.ts';

/** What is wrong with a new autoscaler. */
export function validateAutoscaler(autoscaler: HorizontalPodAutoscaler): FieldErrors {
  return validateSpec(autoscaler.spec, undefined);
}

/** Scaling to zero is off by default, and stays where it was on. */
export function validateAutoscalerChange(
  autoscaler: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler,
): FieldErrors {
  return validateSpec(autoscaler.spec, old.spec);
}

/** `old` is undefined on create. */
function validateSpec(
  spec: HorizontalPodAutoscalerSpec,
  old: HorizontalPodAutoscalerSpec | undefined,
): FieldErrors {
  const target = spec.scaleTargetRef;
  return [
    ...validateReplicas(spec, old?.minReplicas === 0 ? 0 : 1),
    ...validateReference(
      'spec.scaleTargetRef',
      target,
      targetRule(target, old === undefined ? undefined : old.scaleTargetRef),
    ),
    ...flatMapItems(items(spec.metrics), (metric, index) =>
      validateMetric(indexPath('spec.metrics', index), metric, measuredRule(old)),
    ),
    ...validateMetricsOfNothing(spec),
    ...validateBehavior('spec.behavior', spec.behavior),
  ];
}

function validateReplicas(spec: HorizontalPodAutoscalerSpec, lowest: number): FieldErrors {
  const min = spec.minReplicas;
  const max = spec.maxReplicas;
  const maxField = 'spec.maxReplicas';
  const tooLow = `must be greater than or equal to ${String(lowest)}`;
  return [
    ...(min !== undefined && min < lowest ? [invalidValue('spec.minReplicas', min, tooLow)] : []),
    ...(max === 0 ? [required(maxField, 'must be set and greater than 0')] : []),
    ...(max < 0 ? [invalidValue(maxField, max, 'must be greater than or equal to 1')] : []),
    ...(min !== undefined && max < min
      ? [invalidValue(maxField, max, 'must be greater than or equal to `minReplicas`')]
      : []),
  ];
}

/** A target that does not change may be as wrong as it was. */
function targetRule(
  target: CrossVersionObjectReference,
  old: CrossVersionObjectReference | undefined,
): GroupRule {
  const kind = target.kind;
  const isSame =
    old !== undefined && (target.apiVersion ?? '') === (old.apiVersion ?? '') && kind === old.kind;
  if (isSame) return 'any';
  return kind === 'ReplicationController' ? 'optional' : 'required';
}

function measuredRule(old: HorizontalPodAutoscalerSpec | undefined): GroupRule {
  const isWrong = items(old?.metrics).some((metric) => {
    const source = metric.object;
    if (metric.type !== 'Object' || source === undefined) return false;
    const apiVersion = source.describedObject.apiVersion ?? '';
    return versionProblem(apiVersion, 'optional') !== undefined;
  });
  return isWrong ? 'any' : 'optional';
}

/** Pods that are not there have no load of their own to measure. */
function validateMetricsOfNothing(spec: HorizontalPodAutoscalerSpec): FieldErrors {
  if (spec.minReplicas !== 0) return [];
  const types = items(spec.metrics).map((metric) => metric.type);
  if (types.includes('Object') || types.includes('External')) return [];
  const detail =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField('spec.metrics', detail)];
}

const POLICY_TYPES = ['Percent', 'Pods'];
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;

function validateBehavior(
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
    ...flatMapItems(policies, (policy, index) =>
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
