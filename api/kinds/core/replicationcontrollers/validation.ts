/** What a replication controller may say. In Kubernetes: ValidateReplicationController. */
import type { ReplicationController } from '../../../generated/kinds/core-v1.ts';
import { required, type FieldErrors } from '../../../field/field-errors.ts';
import {
  validateLongRunning,
  validatePodTemplate,
  validateTemplateMatches,
} from '../../pod-spec/pod-template-validation.ts';
import { validateReplicaCounts } from '../../rules/replica-status-validation.ts';
import { isMissing, nonNegative, nonNegativeAt } from '../../rules/value-validation.ts';

export function validateReplicationController(
  controller: ReplicationController,
  old?: ReplicationController,
): FieldErrors {
  const spec = controller.spec;
  const selector = { matchLabels: spec.selector ?? {} };
  const hasSelector = Object.keys(spec.selector ?? {}).length > 0;
  return [
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...(hasSelector ? [] : [required('spec.selector')]),
    ...(isMissing(spec.replicas)
      ? [required('spec.replicas')]
      : nonNegative('spec.replicas', spec.replicas)),
    ...(isMissing(spec.template)
      ? [required('spec.template')]
      : [
          ...validateTemplateMatches('spec.template', spec, selector),
          ...validatePodTemplate('spec.template', spec, old && old.spec),
          ...validateLongRunning('spec.template', spec, 'ReplicationController'),
        ]),
  ];
}

/** The rules of the `status` subresource. */
export function validateReplicationControllerStatus(
  controller: ReplicationController,
): FieldErrors {
  const status = controller.status;
  const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;
  return [
    ...nonNegativeAt('status', status, ['replicas', ...parts, 'observedGeneration']),
    ...validateReplicaCounts(status, parts),
  ];
}
