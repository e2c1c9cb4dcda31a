/**
 * A user grants no permissions that it does not hold: to write a role, or to bind one, a user must
 * hold all of its permissions, or be allowed expressly to `escalate` or to `bind`.
 *
 * The last plug-in of the mutating phase, since what is judged is what mutating plug-ins have
 * left. It is asked whatever the authorization modes are, and members of system:masters pass.
 *
 * In Kubernetes: pkg/registry/rbac, the policy-based storages and escalation_check.go.
 */
import type {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
} from '../../../../api/generated/kinds/rbac-v1.ts';
import { items } from '../../../../api/json/go-values.ts';
import type { JsonObject } from '../../../../api/json/json.ts';
import type { MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import type { KubeObject, ObjectOf } from '../../../../api/meta/object-meta.ts';
import {
  forbidden,
  notFound,
  unclassifiedFailure,
  type Status,
} from '../../../../api/meta/status.ts';
import type { FollowedObjects } from '../../../../projections/followed-objects.ts';
import type { AdmissionAttributes } from '../../admission-attributes.ts';
import type { MutatingPlugin } from '../../admission-plugin.ts';
import { type AttributesOf, firstOf, type KindStep, stepFor } from '../../kind-steps.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import type { AuthenticatedRequest } from '../../../request/request.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import { aggregatedText, type Authorizer } from '../../../authorization/authorizer.ts';
import { readRules, type PolicyRule } from '../../../authorization/rbac/policy-rule.ts';
import { heldRules, MASTERS_GROUP } from '../../../authorization/rbac/rbac.ts';
import {
  rbacIndexOf,
  type RbacIndex,
  type RoleRef,
} from '../../../authorization/rbac/rbac-index.ts';
import { describeRules, quotedList, uncovered } from '../../../authorization/rbac/rule-coverage.ts';

export interface EscalationParts {
  readonly followed: FollowedObjects;
  readonly authorizer: Authorizer;
}

const GROUP = 'rbac.authorization.k8s.io';
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

export function rbacEscalation({ followed, authorizer }: EscalationParts): MutatingPlugin {
  const index = rbacIndexOf(followed);
  return {
    name: 'RBACEscalation',
    mutatesAt: firstOf(
      stepFor(ROLES, WRITES, unlessPrivileged(roleCheck(index, authorizer))),
      stepFor(BINDINGS, WRITES, unlessPrivileged(bindingCheck(index, authorizer))),
    ),
  };
}

const ROLES = [`${GROUP}/v1/roles`, `${GROUP}/v1/clusterroles`] as const;
const BINDINGS = [`${GROUP}/v1/rolebindings`, `${GROUP}/v1/clusterrolebindings`] as const;
const WRITES = ['CREATE', 'UPDATE'] as const;

type Write = (typeof WRITES)[number];
type AnyRole = Role | ClusterRole;
type AnyBinding = RoleBinding | ClusterRoleBinding;

type Check<Kind> = (
  attributes: AttributesOf<Kind, Write>,
  object: ObjectOf<Kind>,
) => MaybePromise<Status | undefined>;

function unlessPrivileged<Kind extends AnyRole | AnyBinding>(
  check: Check<Kind>,
): KindStep<Kind, Write> {
  return (attributes) => {
    const { request, object, oldObject } = attributes;
    if (request.user.groups.includes(MASTERS_GROUP)) return undefined;
    if (oldObject !== undefined && areOnlyOwnersNew(object, oldObject)) return undefined;
    return check(attributes, object);
  };
}

function roleCheck(index: RbacIndex, authorizer: Authorizer): Check<AnyRole> {
  return async (attributes, object) => {
    const { request, oldObject } = attributes;
    const { apiGroup, resource, name, namespace } = request.info;
    const asked = { verb: 'escalate', apiGroup, resource, name, namespace };
    if (await isAllowed(authorizer, request, asked)) return undefined;
    const why = missingRights(index, request, readRules(object));
    if (why !== undefined) return refused(attributes, object, why);
    if (!isAggregated(object) && !isAggregated(oldObject)) return undefined;
    if (missingRights(index, request, EVERYTHING) === undefined) return undefined;
    const must = 'must have cluster-admin privileges to use the aggregationRule';
    return refused(attributes, object, must);
  };
}

function bindingCheck(index: RbacIndex, authorizer: Authorizer): Check<AnyBinding> {
  return async (attributes, object) => {
    const { request } = attributes;
    const { namespace } = request.info;
    const { apiGroup, ...role } = object.roleRef;
    const resource = RESOURCES.get(role.kind);
    const asked = { verb: 'bind', apiGroup, resource: resource ?? '', name: role.name, namespace };
    if (resource !== undefined && (await isAllowed(authorizer, request, asked))) return undefined;
    const bound = index.role(role, namespace);
    if (bound === undefined) return roleProblem(role, resource);
    const why = missingRights(index, request, bound.rules);
    return why === undefined ? undefined : refused(attributes, object, why);
  };
}

const RESOURCES: ReadonlyMap<string, string> = new Map([
  ['ClusterRole', 'clusterroles'],
  ['Role', 'roles'],
]);

function roleProblem({ kind, name }: RoleRef, resource: string | undefined): Status {
  if (resource !== undefined) return notFound({ group: GROUP, resource }, name);
  return unclassifiedFailure(`unsupported role reference kind: ${goQuote(kind)}`);
}

interface Permission {
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly name: string;
  readonly namespace: string;
}

/** An authorizer that cannot say does not say yes. */
function isAllowed(
  authorizer: Authorizer,
  { user, info }: AuthenticatedRequest,
  permission: Permission,
): MaybePromise<boolean> {
  const asked = { ...info, ...permission, apiVersion: '*', subresource: '' };
  const selectors = { fieldSelector: '', labelSelector: '' };
  const decision = authorizer.authorize({ user, request: { ...asked, ...selectors } });
  if (!(decision instanceof Promise)) return decision.verdict === 'allow';
  return decision.then(
    ({ verdict }) => verdict === 'allow',
    () => false,
  );
}

/** What the user would give away and does not hold; undefined: nothing. */
export function missingRights(
  index: RbacIndex,
  { user, info }: AuthenticatedRequest,
  rules: readonly PolicyRule[],
): string | undefined {
  const held = heldRules(index, { user, namespace: info.namespace }, missingInStorage);
  const missing = uncovered(held.rules, rules);
  if (missing.length === 0) return undefined;
  const who = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
  const what = 'is attempting to grant RBAC permissions not currently held:';
  const text = `${who} ${what}\n${describeRules(missing)}`;
  if (held.problems.length === 0) return text;
  return `${text}; resolution errors: [${aggregatedText(held.problems)}]`;
}

function missingInStorage({ kind, name }: RoleRef): string {
  const resource = RESOURCES.get(kind);
  if (resource === undefined) return `unsupported role reference kind: ${goQuote(kind)}`;
  return `${resource}.${GROUP} ${goQuote(name)} not found`;
}

function refused(
  { served }: Pick<AdmissionAttributes, 'served'>,
  { metadata }: KubeObject,
  why: string,
): Status {
  const { group, resource } = served.facts;
  return forbidden({ group, resource }, metadata.name ?? '', why);
}

function isAggregated(role: AnyRole | undefined): boolean {
  if (role === undefined || !('aggregationRule' in role)) return false;
  return items(role.aggregationRule.clusterRoleSelectors).length > 0;
}

/**
 * The garbage collector changes owners and finalizers of what it could not have made.
 *
 * In Kubernetes: IsOnlyMutatingGCFields.
 */
function areOnlyOwnersNew(object: KubeObject, old: KubeObject): boolean {
  return sameValue(withoutOwners(object), withoutOwners(old));
}

function withoutOwners(object: KubeObject): JsonObject {
  const entries = Object.entries(object.metadata as JsonObject);
  const metadata = Object.fromEntries(entries.filter(([key]) => !OWNERS.has(key)));
  return { ...object, metadata };
}

const OWNERS: ReadonlySet<string> = new Set([
  'ownerReferences',
  'finalizers',
  'managedFields',
  'selfLink',
]);
