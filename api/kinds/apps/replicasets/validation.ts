/** What a replica set may say. In Kubernetes: ValidateReplicaSet, pkg/apis/apps/validation. */
import type { KubeObject } from '../../../meta/object-meta.ts';
import type { FieldErrors } from '../../../field/field-errors.ts';
import {
  validateLongRunning,
  validatePodTemplate,
} from '../../pod-spec/pod-template-validation.ts';
import { validateReplicaCounts } from '../../rules/replica-status-validation.ts';
import { nonNegativeAt, specOf, statusOf } from '../../rules/value-validation.ts';
import {
  validateTemplateOfSelector,
  validateWorkloadSelector,
} from '../../rules/workload-selector-validation.ts';

const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

export function validateReplicaSet(replicaSet: KubeObject, old?: KubeObject): FieldErrors {
  const spec = specOf(replicaSet);
  return [
    ...nonNegativeAt('spec', spec, ['replicas', 'minReadySeconds']),
    // Upstream calls it a deployment here too.
    ...validateWorkloadSelector(spec, 'deployment'),
    ...validateTemplateOfSelector(spec, 'invalid label selector', () => [
      ...validatePodTemplate('spec.template', spec, old && specOf(old)),
      ...validateLongRunning('spec.template', spec, 'ReplicaSet'),
    ]),
  ];
}

/** The rules of the `status` subresource. */
export function validateReplicaSetStatus(replicaSet: KubeObject): FieldErrors {
  const status = statusOf(replicaSet);
  const counts = ['replicas', ...PARTS, 'observedGeneration', 'terminatingReplicas'];
  return [...nonNegativeAt('status', status, counts), ...validateReplicaCounts(status, PARTS)];
}
