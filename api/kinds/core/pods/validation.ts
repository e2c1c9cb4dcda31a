/** What a pod may be made as. In Kubernetes: ValidatePodCreate, pkg/apis/core/validation. */
import { stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { forbiddenField, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateImageBlanks } from '../../pod-spec/containers/containers-validation.ts';
import { validatePodAnnotations } from '../../pod-spec/pod-annotations-validation.ts';
import { podRules, presentAt } from '../../pod-spec/pod-rules.ts';
import { validatePodSpec } from '../../pod-spec/pod-spec-validation.ts';
import { validateProfilesMatch } from '../../pod-spec/security/security-profiles-validation.ts';
import { objectsAt, ofEachAt, specOf } from '../../rules/value-validation.ts';

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
    ...validateProfilesMatch(pod.metadata.annotations ?? {}, spec),
  ];
}

/** What holds for new and for changed pods alike; `old` is undefined on create. */
export function validateAnyPod(pod: KubeObject, old?: KubeObject): FieldErrors {
  const spec = specOf(pod);
  const rules = podRules(pod.metadata, old === undefined ? undefined : specOf(old));
  const annotations = pod.metadata.annotations ?? {};
  return [
    ...validatePodAnnotations('metadata.annotations', annotations, spec, rules),
    ...validatePodSpec('spec', spec, rules),
    ...validateTokens(pod),
    ...['containers', 'initContainers'].flatMap((key) =>
      ofEachAt(spec, key, (container, index) =>
        validateImageBlanks(indexPath(`spec.${key}`, index), container),
      ),
    ),
  ];
}

/** A token is that of an account, which a pod has; a template may leave it to be filled in. */
function validateTokens(pod: KubeObject): FieldErrors {
  const spec = specOf(pod);
  if (stringAt(spec, 'serviceAccountName') !== '') return [];
  const detail = 'must not be specified when serviceAccountName is not set';
  return ofEachAt(spec, 'volumes', (volume, index) => {
    const path = `${indexPath('spec.volumes', index)}.projected.sources`;
    return ofEachAt(presentAt(volume, 'projected'), 'sources', (source, at) =>
      presentAt(source, 'serviceAccountToken') === undefined
        ? []
        : [forbiddenField(`${indexPath(path, at)}.serviceAccountToken`, detail)],
    );
  });
}
