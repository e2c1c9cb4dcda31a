/**
 * What the requester may do. Only types are declared: every expression may name these functions,
 * but only policies have an `authorizer` to call them on, and nothing evaluates policies here.
 *
 * In Kubernetes: apiserver/pkg/cel/library/authz.go.
 */
import { BOOL, STRING, structType } from '../cel-type.ts';
import { declare, method, type Library } from '../declarations.ts';

export const AUTHORIZER_TYPE = structType('kubernetes.authorization.Authorizer');
export const RESOURCE_CHECK_TYPE = structType('kubernetes.authorization.ResourceCheck');

const PATH_CHECK = structType('kubernetes.authorization.PathCheck');
const GROUP_CHECK = structType('kubernetes.authorization.GroupCheck');
const DECISION = structType('kubernetes.authorization.Decision');

export const AUTHORIZATION: Library = [
  declare('path', method('authorizer_path', [AUTHORIZER_TYPE, STRING], PATH_CHECK)),
  declare('group', method('authorizer_group', [AUTHORIZER_TYPE, STRING], GROUP_CHECK)),
  declare(
    'serviceAccount',
    method('authorizer_serviceaccount', [AUTHORIZER_TYPE, STRING, STRING], AUTHORIZER_TYPE),
  ),
  declare('resource', method('groupcheck_resource', [GROUP_CHECK, STRING], RESOURCE_CHECK_TYPE)),
  ...['subresource', 'namespace', 'name'].map((name) =>
    declare(
      name,
      method(`resourcecheck_${name}`, [RESOURCE_CHECK_TYPE, STRING], RESOURCE_CHECK_TYPE),
    ),
  ),
  ...['fieldSelector', 'labelSelector'].map((name) =>
    declare(
      name,
      method(
        `authorizer_${name.toLowerCase()}`,
        [RESOURCE_CHECK_TYPE, STRING],
        RESOURCE_CHECK_TYPE,
      ),
    ),
  ),
  declare(
    'check',
    method('pathcheck_check', [PATH_CHECK, STRING], DECISION),
    method('resourcecheck_check', [RESOURCE_CHECK_TYPE, STRING], DECISION),
  ),
  declare('errored', method('decision_errored', [DECISION], BOOL)),
  declare('error', method('decision_error', [DECISION], STRING)),
  declare('allowed', method('decision_allowed', [DECISION], BOOL)),
  declare('reason', method('decision_reason', [DECISION], STRING)),
];
