/**
 * What an autoscaler may ask for. What the old one has already stays allowed: no replicas at all,
 * and references without a proper version.
 *
 * In Kubernetes: ValidateHorizontalPodAutoscaler, pkg/apis/autoscaling/validation.
 */
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { objectsAt, specOf } from '../../rules/value-validation.ts';
import { validateBehavior } from './behavior-validation.ts';
import { validateMetric } from './metric-validation.ts';
import { validateReference, versionProblem, type GroupRule } from './reference-validation.ts';

export function validateAutoscaler(autoscaler: KubeObject): FieldErrors {
  return validateSpec(specOf(autoscaler), undefined);
}

/** Scaling to zero is off by default, and stays where it was on. */
export function validateAutoscalerChange(autoscaler: KubeObject, old: KubeObject): FieldErrors {
  return validateSpec(specOf(autoscaler), specOf(old));
}

/** `old` is undefined on create. */
function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldErrors {
  const target = objectAt(spec, 'scaleTargetRef') ?? {};
  return [
    ...validateReplicas(spec, numberAt(old, 'minReplicas') === 0 ? 0 : 1),
    ...validateReference(
      'spec.scaleTargetRef',
      target,
      targetRule(target, old === undefined ? undefined : (objectAt(old, 'scaleTargetRef') ?? {})),
    ),
    ...objectsAt(spec, 'metrics').flatMap((metric, index) =>
      validateMetric(indexPath('spec.metrics', index), metric, measuredRule(old)),
    ),
    ...validateMetricsOfNothing(spec),
    ...validateBehavior('spec.behavior', objectAt(spec, 'behavior')),
  ];
}

function validateReplicas(spec: JsonObject, lowest: number): FieldErrors {
  const min = numberAt(spec, 'minReplicas');
  const max = numberAt(spec, 'maxReplicas') ?? 0;
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
function targetRule(target: JsonObject, old: JsonObject | undefined): GroupRule {
  const kind = stringAt(target, 'kind');
  const isSame =
    old !== undefined &&
    stringAt(target, 'apiVersion') === stringAt(old, 'apiVersion') &&
    kind === stringAt(old, 'kind');
  if (isSame) return 'any';
  return kind === 'ReplicationController' ? 'optional' : 'required';
}

function measuredRule(old: JsonObject | undefined): GroupRule {
  const isWrong = objectsAt(old, 'metrics').some((metric) => {
    const source = objectAt(metric, 'object');
    if (stringAt(metric, 'type') !== 'Object' || source === undefined) return false;
    const apiVersion = stringAt(objectAt(source, 'describedObject'), 'apiVersion');
    return versionProblem(apiVersion, 'optional') !== undefined;
  });
  return isWrong ? 'any' : 'optional';
}

/** Pods that are not there have no load of their own to measure. */
function validateMetricsOfNothing(spec: JsonObject): FieldErrors {
  if (numberAt(spec, 'minReplicas') !== 0) return [];
  const types = objectsAt(spec, 'metrics').map((metric) => stringAt(metric, 'type'));
  if (types.includes('Object') || types.includes('External')) return [];
  const detail =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField('spec.metrics', detail)];
}
