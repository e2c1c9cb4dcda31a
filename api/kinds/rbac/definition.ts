/** Roles and their bindings. In Kubernetes: registry/rbac. */
import { nameIsPathSegment } from '../../meta/names.ts';
import { defineKind } from '../kind.ts';
import type { KindRules } from '../strategy-of.ts';
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleChange,
  validateRole,
  validateRoleBinding,
  validateRoleRefChange,
} from './validation.ts';

/** Of what a name is generated from, upstream asks as much as of a name. */
const everyone: KindRules = {
  validateName: (name) => nameIsPathSegment(name, false),
  allowsCreateOnUpdate: true,
};

export const roles = defineKind('rbac.authorization.k8s.io/v1/roles', {
  rules: { ...everyone, validate: validateRole },
});

export const clusterRoles = defineKind('rbac.authorization.k8s.io/v1/clusterroles', {
  rules: {
    ...everyone,
    validate: validateClusterRole,
    validateUpdate: validateClusterRoleChange,
  },
});

export const roleBindings = defineKind('rbac.authorization.k8s.io/v1/rolebindings', {
  rules: {
    ...everyone,
    validate: validateRoleBinding,
    validateChange: validateRoleRefChange,
  },
});

export const clusterRoleBindings = defineKind('rbac.authorization.k8s.io/v1/clusterrolebindings', {
  rules: {
    ...everyone,
    validate: validateClusterRoleBinding,
    validateChange: validateRoleRefChange,
  },
});
