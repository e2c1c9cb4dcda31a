/**
 * What an autoscaler may ask for. Metrics and behavior are not looked at yet.
 *
 * In Kubernetes: ValidateHorizontalPodAutoscaler, pkg/apis/autoscaling/validation.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { pathSegmentProblems } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  forbiddenField,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { invalidFor, numberAt, objectsAt, specOf } from '../../value-validation.ts';

export function validateAutoscaler(autoscaler: KubeObject): FieldErrors {
  return validateSpec(specOf(autoscaler), undefined);
}

/** Scaling to zero is off by default, and stays where it was on. */
export function validateAutoscalerChange(autoscaler: KubeObject, old: KubeObject): FieldErrors {
  return validateSpec(specOf(autoscaler), specOf(old));
}

/** `old` is undefined on create. */
function validateSpec(spec: JsonObject, old: JsonObject | undefined): FieldErrors {
  const lowest = numberAt(old, 'minReplicas') === 0 ? 0 : 1;
  const min = numberAt(spec, 'minReplicas');
  const max = numberAt(spec, 'maxReplicas') ?? 0;
  const maxField = 'spec.maxReplicas';
  return [
    ...(min !== undefined && min < lowest
      ? [
          invalidValue(
            'spec.minReplicas',
            min,
            `must be greater than or equal to ${String(lowest)}`,
          ),
        ]
      : []),
    ...(max === 0 ? [required(maxField, 'must be set and greater than 0')] : []),
    ...(max < 0 ? [invalidValue(maxField, max, 'must be greater than or equal to 1')] : []),
    ...(min !== undefined && max < min
      ? [invalidValue(maxField, max, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...validateTarget(objectAt(spec, 'scaleTargetRef') ?? {}),
    ...validateTargetVersion(objectAt(spec, 'scaleTargetRef'), objectAt(old, 'scaleTargetRef')),
    ...validateMetricsOfNothing(spec),
  ];
}

function validateTarget(target: JsonObject): FieldErrors {
  return ['kind', 'name'].flatMap((key) => {
    const field = `spec.scaleTargetRef.${key}`;
    const value = stringAt(target, key);
    return value === '' ? [required(field)] : invalidFor(field, value, pathSegmentProblems(value));
  });
}

/** A target that does not change may be as wrong as it was. */
function validateTargetVersion(
  target: JsonObject | undefined,
  old: JsonObject | undefined,
): FieldErrors {
  const field = 'spec.scaleTargetRef.apiVersion';
  const apiVersion = stringAt(target, 'apiVersion');
  const kind = stringAt(target, 'kind');
  const isSame =
    old !== undefined &&
    apiVersion === stringAt(old, 'apiVersion') &&
    kind === stringAt(old, 'kind');
  if (isSame) return [];
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1) {
    return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  }
  const isGroupless = slashes === 0 || apiVersion.startsWith('/');
  return isGroupless && kind !== 'ReplicationController'
    ? [invalidValue(field, apiVersion, 'apiVersion must specify API group')]
    : [];
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
