/**
 * What an autoscaler may ask for. What the old one has already stays allowed: no replicas at all,
 * and references without a proper version.
 *
 * In Kubernetes: ValidateHorizontalPodAutoscaler, pkg/apis/autoscaling/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  CrossVersionObjectReference,
} from '../../../generated/kinds/autoscaling-v2.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateBehavior } from './behavior-validation.ts';
import { validateMetric } from './metric-validation.ts';
import { validateReference, versionProblem, type GroupRule } from './reference-validation.ts';

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
    ...items(spec.metrics).flatMap((metric, index) =>
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
