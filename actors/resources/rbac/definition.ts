/** Roles and who has them. In Kubernetes: registry/rbac. */
import { nameIsPathSegment } from '../../../api/meta/names.ts';
import type { Kind } from '../kind.ts';
import { strategyOf, type KindRules } from '../strategy-of.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleChange,
  validateRole,
  validateRoleBinding,
  validateRoleRefChange,
} from './validation.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' };
/** Of what a name is generated from, upstream asks as much as of a name. */
const everyone: KindRules = {
  validateName: (name) => nameIsPathSegment(name, false),
  allowsCreateOnUpdate: true,
};

export const roles: Kind = {
  ...rbac,
  resource: 'roles',
  strategy: strategyOf({ ...everyone, validate: validateRole }),
};

export const clusterRoles: Kind = {
  ...rbac,
  resource: 'clusterroles',
  strategy: strategyOf({
    ...everyone,
    validate: validateClusterRole,
    validateUpdate: validateClusterRoleChange,
  }),
};

export const roleBindings: Kind = {
  ...rbac,
  resource: 'rolebindings',
  strategy: strategyOf({
    ...everyone,
    validate: validateRoleBinding,
    validateChange: validateRoleRefChange,
  }),
};

export const clusterRoleBindings: Kind = {
  ...rbac,
  resource: 'clusterrolebindings',
  strategy: strategyOf({
    ...everyone,
    validate: validateClusterRoleBinding,
    validateChange: validateRoleRefChange,
  }),
};
