/** What a pod may be made as. In Kubernetes: ValidatePodCreate, pkg/apis/core/validation. */
import { items } from '../../../json/go-values.ts';
import type { Pod } from '../../../generated/kinds/core-v1.ts';
import { type FieldErrors, forbiddenField } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateImageBlanks } from '../../pod-spec/containers/containers-validation.ts';
import { validatePodAnnotations } from '../../pod-spec/pod-annotations.ts';
import { podRules } from '../../pod-spec/pod-rules.ts';
import { validatePodSpec } from '../../pod-spec/pod-spec-validation.ts';
import { validateProfilesMatch } from '../../pod-spec/security/security-profiles-validation.ts';
import { ofEach } from '../../rules/value-validation.ts';

export function validatePod(pod: Pod): FieldErrors {
  const spec = pod.spec;
  const isGated = items(spec.schedulingGates).length > 0;
  return [
    ...validateAnyPod(pod),
    ...(items(spec.ephemeralContainers).length > 0
      ? [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]
      : []),
    ...(isGated && (spec.nodeName ?? '') !== ''
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
export function validateAnyPod(pod: Pod, old?: Pod): FieldErrors {
  const spec = pod.spec;
  const rules = podRules(pod.metadata, old === undefined ? undefined : old.spec);
  const annotations = pod.metadata.annotations ?? {};
  return [
    ...validatePodAnnotations('metadata.annotations', annotations, spec, rules),
    ...validatePodSpec('spec', spec, rules),
    ...validateTokens(pod),
    ...(['containers', 'initContainers'] as const).flatMap((key) =>
      ofEach(spec[key], (container, index) =>
        validateImageBlanks(indexPath(`spec.${key}`, index), container),
      ),
    ),
  ];
}

/** A token is that of an account, which a pod has; a template may leave it to be filled in. */
function validateTokens(pod: Pod): FieldErrors {
  const spec = pod.spec;
  if ((spec.serviceAccountName ?? '') !== '') return [];
  const detail = 'must not be specified when serviceAccountName is not set';
  return ofEach(spec.volumes, (volume, index) => {
    const path = `${indexPath('spec.volumes', index)}.projected.sources`;
    return ofEach(volume.projected?.sources, (source, at) =>
      source.serviceAccountToken === undefined
        ? []
        : [forbiddenField(`${indexPath(path, at)}.serviceAccountToken`, detail)],
    );
  });
}
