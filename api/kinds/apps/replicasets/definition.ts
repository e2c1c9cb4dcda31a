/** Replica sets: a number of equal pods. In Kubernetes: registry/apps/replicaset. */
import type { ReplicaSet } from '../../../generated/kinds/apps-v1.ts';
import { defineKind } from '../../kind.ts';
import { prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { specChanged } from '../../strategy-of.ts';
import { nameWarnings, workloadWarnings } from '../../pod-spec/workload-warnings.ts';
import { validateSelectorChange } from '../../rules/workload-selector-validation.ts';
import { validateReplicaSet, validateReplicaSetStatus } from './validation.ts';

const ofTemplate = workloadWarnings('spec.template', ({ spec }: ReplicaSet) => spec.template);

export const replicaSets = defineKind('apps/v1/replicasets', {
  hasScale: true,
  rules: {
    isNewGeneration: specChanged,
    status: { initial: () => ({ replicas: 0 }), validateUpdate: validateReplicaSetStatus },
    prepareForCreate: (object) => prepareTemplate(object),
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
