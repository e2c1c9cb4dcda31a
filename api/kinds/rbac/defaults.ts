/**
 * Defaults of role bindings. Service accounts are of the legacy group, users and groups of RBAC's own.
 *
 * In Kubernetes: SetDefaults_RoleBinding, SetDefaults_ClusterRoleBinding and SetDefaults_Subject,
 * pkg/apis/rbac/v1.
 */
import { forEachItem } from '../../json/work-in-slices.ts';
import { items } from '../../json/go-values.ts';
import type { ClusterRoleBinding, RoleBinding } from '../../generated/kinds/rbac-v1.ts';

const GROUP = 'rbac.authorization.k8s.io';

function setBindingDefaults(binding: ClusterRoleBinding | RoleBinding): void {
  binding.roleRef.apiGroup ||= GROUP;
  forEachItem(items(binding.subjects), (subject) => {
    const kind = subject.kind;
    if (kind === 'User' || kind === 'Group') subject.apiGroup ||= GROUP;
  });
}

/** SetDefaults_RoleBinding: the API group of the role and of each subject. */
export function setRoleBindingDefaults(binding: RoleBinding): void {
  setBindingDefaults(binding);
}

/** SetDefaults_ClusterRoleBinding: the API group of the role and of each subject. */
export function setClusterRoleBindingDefaults(binding: ClusterRoleBinding): void {
  setBindingDefaults(binding);
}
