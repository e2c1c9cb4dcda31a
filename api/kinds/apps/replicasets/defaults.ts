/**
 * Defaults of a ReplicaSet.
 *
 * In Kubernetes: SetDefaults_ReplicaSet, pkg/apis/apps/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent, structAt } from '../../default-field.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

export function setReplicaSetDefaults(replicaSet: JsonObject): void {
  const spec = structAt(replicaSet, 'spec');
  setIfAbsent(spec, 'replicas', 1);
  setPodTemplateDefaults(spec);
}
