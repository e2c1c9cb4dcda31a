/**
 * Replica sets: a number of equal pods.
 *
 * In Kubernetes: registry/apps/replicaset; SetDefaults_ReplicaSet, pkg/apis/apps/v1;
 * ValidateReplicaSet, pkg/apis/apps/validation.
 */
import type { ReplicaSet } from '../../../generated/kinds/apps-v1.ts';
import { defineKind } from '../../kind.ts';
import { prepareNewTemplate, prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { specChanged } from '../../strategy-of.ts';
import {
  nameWarnings,
  validateLongRunning,
  validatePodTemplate,
  validateSelectorChange,
  validateTemplateOfSelector,
  validateWorkloadSelector,
  workloadWarnings,
} from '../../pod-spec/pod-template-validation.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';
import type { FieldErrors } from '../../../field/field-errors.ts';
import { validateReplicaCounts } from '../../rules/status-validation.ts';
import { nonNegativeAt } from '../../rules/value-validation.ts';

const ofTemplate = workloadWarnings('spec.template', ({ spec }: ReplicaSet) => spec.template);

/** The kind ReplicaSet. */
export const replicaSets = defineKind('apps/v1/replicasets', {
  hasScale: true,
  rules: {
    isNewGeneration: specChanged,
    status: { initial: () => ({ replicas: 0 }), validateUpdate: validateReplicaSetStatus },
    prepareForCreate: prepareNewTemplate,
    prepareForUpdate: prepareTemplate,
    validate: (replicaSet) => validateReplicaSet(replicaSet),
    validateUpdate: (replicaSet, old) => [
      ...validateReplicaSet(replicaSet, old),
      ...validateSelectorChange(replicaSet, old),
    ],
    warningsOnCreate: (replicaSet) => [
      ...nameWarnings(replicaSet, 'Pod names and hostnames'),
      ...ofTemplate.onCreate(replicaSet),
    ],
    warningsOnUpdate: ofTemplate.onUpdate,
  },
});

/** SetDefaults_ReplicaSet, with the defaults of the pods in the template. */
export function setReplicaSetDefaults(replicaSet: ReplicaSet): void {
  const spec = replicaSet.spec;
  spec.replicas ??= 1;
  setPodTemplateDefaults(spec);
}

const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

function validateReplicaSet(replicaSet: ReplicaSet, old?: ReplicaSet): FieldErrors {
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
function validateReplicaSetStatus(replicaSet: ReplicaSet): FieldErrors {
  const status = replicaSet.status;
  const counts = ['replicas', ...PARTS, 'observedGeneration', 'terminatingReplicas'];
  return [...nonNegativeAt('status', status, counts), ...validateReplicaCounts(status, PARTS)];
}
