/**
 * Defaults of who is bound to which role. Service accounts are of the legacy group, users and groups
 * of RBAC's own.
 *
 * In Kubernetes: SetDefaults_RoleBinding and SetDefaults_Subject, pkg/apis/rbac/v1.
 */
import type { JsonObject } from '../../json/json.ts';
import { forEachIn, setIfZero, structAt } from '../default-field.ts';

const GROUP = 'rbac.authorization.k8s.io';

export function setBindingDefaults(binding: JsonObject): void {
  setIfZero(structAt(binding, 'roleRef'), 'apiGroup', GROUP);
  forEachIn(binding, 'subjects', (subject) => {
    const kind = subject['kind'];
    if (kind === 'User' || kind === 'Group') setIfZero(subject, 'apiGroup', GROUP);
  });
}
