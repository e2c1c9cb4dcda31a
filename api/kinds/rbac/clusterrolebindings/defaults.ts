/**
 * Defaults of a ClusterRoleBinding.
 *
 * In Kubernetes: SetObjectDefaults_ClusterRoleBinding, pkg/apis/rbac/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setBindingDefaults } from '../binding-defaults.ts';

export function setClusterRoleBindingDefaults(binding: JsonObject): void {
  setBindingDefaults(binding);
}
