/** What a replica set may say. In Kubernetes: ValidateReplicaSet, pkg/apis/apps/validation. */
import type { ReplicaSet } from '../../../generated/kinds/apps-v1.ts';
import type { FieldErrors } from '../../../field/field-errors.ts';
import {
  validateLongRunning,
  validatePodTemplate,
} from '../../pod-spec/pod-template-validation.ts';
import { validateReplicaCounts } from '../../rules/replica-status-validation.ts';
import { nonNegativeAt } from '../../rules/value-validation.ts';
import {
  validateTemplateOfSelector,
  validateWorkloadSelector,
} from '../../rules/workload-selector-validation.ts';

const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

export function validateReplicaSet(replicaSet: ReplicaSet, old?: ReplicaSet): FieldErrors {
  const spec = replicaSet.spec;
  return [
    ...nonNegativeAt('spec', spec, ['replicas', 'minReadySeconds']),
    // Upstream calls it a deployment here too.
    ...validateWorkloadSelector(spec, 'deployment'),
    ...validateTemplateOfSelector(spec, 'invalid label selector', () => [
      ...validatePodTemplate('spec.template', spec, old && old.spec),
      ...validateLongRunning('spec.template', spec, 'ReplicaSet'),
    ]),
  ];
}

/** The rules of the `status` subresource. */
export function validateReplicaSetStatus(replicaSet: ReplicaSet): FieldErrors {
  const status = replicaSet.status;
  const counts = ['replicas', ...PARTS, 'observedGeneration', 'terminatingReplicas'];
  return [...nonNegativeAt('status', status, counts), ...validateReplicaCounts(status, PARTS)];
}
