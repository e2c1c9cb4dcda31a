/**
 * Defaults of a RoleBinding.
 *
 * In Kubernetes: SetObjectDefaults_RoleBinding, pkg/apis/rbac/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setBindingDefaults } from '../binding-defaults.ts';

export function setRoleBindingDefaults(binding: JsonObject): void {
  setBindingDefaults(binding);
}
