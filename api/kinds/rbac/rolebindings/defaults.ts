/**
 * Defaults of a RoleBinding.
 *
 * In Kubernetes: SetObjectDefaults_RoleBinding, pkg/apis/rbac/v1.
 */
import type { RoleBinding } from '../../../generated/kinds/rbac-v1.ts';
import { setBindingDefaults } from '../binding-defaults.ts';

export function setRoleBindingDefaults(binding: RoleBinding): void {
  setBindingDefaults(binding);
}
