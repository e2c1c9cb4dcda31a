/**
 * What an autoscaler may ask for. Metrics and behavior are not looked at yet.
 *
 * In Kubernetes: ValidateHorizontalPodAutoscaler, pkg/apis/autoscaling/validation.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { pathSegmentProblems } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { invalidValue, required, type FieldErrors } from '../../../../api/schema/field-errors.ts';
import { invalidFor, numberAt, specOf } from '../../value-validation.ts';

export function validateAutoscaler(autoscaler: KubeObject): FieldErrors {
  return validateSpec(specOf(autoscaler), 1);
}

/** Scaling to zero is off by default, and stays where it was on. */
export function validateAutoscalerChange(autoscaler: KubeObject, old: KubeObject): FieldErrors {
  const isZeroKept = numberAt(specOf(old), 'minReplicas') === 0;
  return validateSpec(specOf(autoscaler), isZeroKept ? 0 : 1);
}

function validateSpec(spec: JsonObject, lowest: number): FieldErrors {
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
  ];
}

function validateTarget(target: JsonObject): FieldErrors {
  return ['kind', 'name'].flatMap((key) => {
    const field = `spec.scaleTargetRef.${key}`;
    const value = stringAt(target, key);
    return value === '' ? [required(field)] : invalidFor(field, value, pathSegmentProblems(value));
  });
}
