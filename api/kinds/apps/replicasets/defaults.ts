/**
 * Defaults of a ReplicaSet.
 *
 * In Kubernetes: SetDefaults_ReplicaSet, pkg/apis/apps/v1.
 */
import type { ReplicaSet } from '../../../generated/kinds/apps-v1.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

export function setReplicaSetDefaults(replicaSet: ReplicaSet): void {
  const spec = replicaSet.spec;
  spec.replicas ??= 1;
  setPodTemplateDefaults(spec);
}
