/** What a pod may be made as. In Kubernetes: ValidatePodCreate, pkg/apis/core/validation. */
import { stringAt } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { forbiddenField, type FieldErrors } from '../../../../api/schema/field-errors.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { validateImageBlanks } from '../../container-validation.ts';
import { validatePodSpec } from '../../pod-spec-validation.ts';
import { objectsAt, specOf } from '../../value-validation.ts';

export function validatePod(pod: KubeObject): FieldErrors {
  const spec = specOf(pod);
  const isGated = objectsAt(spec, 'schedulingGates').length > 0;
  return [
    ...validateAnyPod(pod),
    ...(objectsAt(spec, 'ephemeralContainers').length > 0
      ? [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]
      : []),
    ...(isGated && stringAt(spec, 'nodeName') !== ''
      ? [
          forbiddenField(
            'spec.nodeName',
            'cannot be set until all schedulingGates have been cleared',
          ),
        ]
      : []),
  ];
}

/** What holds for new and for changed pods alike. */
export function validateAnyPod(pod: KubeObject): FieldErrors {
  const spec = specOf(pod);
  return [
    ...validatePodSpec('spec', spec),
    ...['containers', 'initContainers'].flatMap((key) =>
      objectsAt(spec, key).flatMap((container, index) =>
        validateImageBlanks(indexPath(`spec.${key}`, index), container),
      ),
    ),
  ];
}
