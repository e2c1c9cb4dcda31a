/**
 * Defaults of a ClusterRoleBinding.
 *
 * In Kubernetes: SetObjectDefaults_ClusterRoleBinding, pkg/apis/rbac/v1.
 */
import type { ClusterRoleBinding } from '../../../generated/kinds/rbac-v1.ts';
import { setBindingDefaults } from '../binding-defaults.ts';

export function setClusterRoleBindingDefaults(binding: ClusterRoleBinding): void {
  setBindingDefaults(binding);
}
