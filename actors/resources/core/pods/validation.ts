/** What a pod may be made as. In Kubernetes: ValidatePodCreate, pkg/apis/core/validation. */
import { stringAt } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  forbiddenField,
  invalidValue,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { indexPath, keyPath } from '../../../../api/schema/field-path.ts';
import { validateImageBlanks } from '../../container-validation.ts';
import { validatePodSpec } from '../../pod-spec-validation.ts';
import { objectsAt, specOf } from '../../value-validation.ts';

/** How a node's agent marks a pod that it did not get from here. */
export const MIRROR = 'kubernetes.io/config.mirror';

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
    ...validateMirrorPod(pod),
    ...validatePodSpec('spec', spec),
    ...['containers', 'initContainers'].flatMap((key) =>
      objectsAt(spec, key).flatMap((container, index) =>
        validateImageBlanks(indexPath(`spec.${key}`, index), container),
      ),
    ),
  ];
}

/** A node's agent mirrors the pods that it runs by itself, so it knows the node. */
function validateMirrorPod(pod: KubeObject): FieldErrors {
  const annotations = pod.metadata.annotations ?? {};
  if (!Object.hasOwn(annotations, MIRROR) || stringAt(specOf(pod), 'nodeName') !== '') return [];
  const detail = 'must set spec.nodeName if mirror pod annotation is set';
  return [invalidValue(keyPath('metadata.annotations', MIRROR), annotations[MIRROR], detail)];
}
