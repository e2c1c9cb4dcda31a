/** For tests of RBAC: a policy in memory, and random ones. */
import fc from 'fast-check';
import type { JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { RequestInfo, UserInfo } from '../../request/request.ts';
import { followedObjects } from '../followed-objects.fixture.ts';
import { rbacIndexOf } from './rbac-index.ts';

export interface Policy {
  readonly roles: readonly KubeObject[];
  readonly clusterRoles: readonly KubeObject[];
  readonly roleBindings: readonly KubeObject[];
  readonly clusterRoleBindings: readonly KubeObject[];
}

export const NO_POLICY: Policy = {
  roles: [],
  clusterRoles: [],
  roleBindings: [],
  clusterRoleBindings: [],
};

export const NO_INFO: RequestInfo = {
  fork: '',
  at: '',
  isStill: false,
  isResourceRequest: true,
  path: '',
  verb: 'get',
  apiPrefix: 'api',
  apiGroup: '',
  apiVersion: 'v1',
  namespace: '',
  resource: 'pods',
  subresource: '',
  name: '',
  parts: [],
  fieldSelector: '',
  labelSelector: '',
};

/** An index that is told of objects as the fold would tell it. */
export function givenPolicy(policy: Partial<Policy> = {}) {
  const { followed, told, gone } = followedObjects();
  const index = rbacIndexOf(followed);
  // From here on the index hears of everything.
  index.role({ kind: 'Role', name: '' }, '');
  const { roles, clusterRoles, roleBindings, clusterRoleBindings } = { ...NO_POLICY, ...policy };
  const all = { roles, clusterroles: clusterRoles, rolebindings: roleBindings };
  for (const [resource, objects] of Object.entries({
    ...all,
    clusterrolebindings: clusterRoleBindings,
  })) {
    for (const object of objects) told(`${GROUP}/${resource}`, object);
  }
  return {
    index,
    followed,
    set(resource: string, object: KubeObject) {
      told(`${GROUP}/${resource}`, object);
    },
    delete(resource: string, object: KubeObject) {
      gone(`${GROUP}/${resource}`, object);
    },
  };
}

export function userNamed(name: string, groups: readonly string[] = []): UserInfo {
  return { name, uid: '', groups, extra: {} };
}

export function clusterRole(name: string, rules: readonly JsonObject[]): KubeObject {
  return { kind: 'ClusterRole', apiVersion: RBAC_V1, metadata: { name }, rules: [...rules] };
}

export function role(namespace: string, name: string, rules: readonly JsonObject[]): KubeObject {
  return { kind: 'Role', apiVersion: RBAC_V1, metadata: { namespace, name }, rules: [...rules] };
}

export function binding(
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
  to: { readonly kind: string; readonly name: string },
  subjects: readonly JsonObject[],
): KubeObject {
  return {
    kind: namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
    apiVersion: RBAC_V1,
    metadata: { ...(namespace === '' ? {} : { namespace }), name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...to },
    subjects: [...subjects],
  };
}

const GROUP = 'rbac.authorization.k8s.io';
const RBAC_V1 = 'rbac.authorization.k8s.io/v1';
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const PATHS = ['/healthz', '/healthz/etcd', '/apis/x', '/'];

const name = fc.constantFrom(...NAMES);
const some = (...texts: string[]): fc.Arbitrary<string[]> =>
  fc.subarray(texts, { minLength: 1, maxLength: 2 });

export const anyRule: fc.Arbitrary<JsonObject> = fc.oneof<fc.MaybeWeightedArbitrary<JsonObject>[]>(
  {
    weight: 5,
    arbitrary: fc.record(
      {
        verbs: some('get', 'list', 'create', '*'),
        apiGroups: some('', 'apps', '*'),
        resources: some('pods', 'pods/log', 'deployments', 'deployments/scale', '*/scale', '*'),
        resourceNames: fc.subarray(NAMES, { maxLength: 2 }),
      },
      { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verbs: some('get', 'post', '*'),
      nonResourceURLs: some('/healthz', '/healthz/*', '/apis/*', '*', '/h*', '/*'),
    }),
  },
);

const rules = fc.array(anyRule, { maxLength: 4 });

const subject: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ kind: fc.constant('User'), name: fc.constantFrom('u', 'v', 'w') }),
  fc.record({
    kind: fc.constant('Group'),
    name: fc.constantFrom('g', 'h', 'system:authenticated'),
  }),
  fc.record(
    {
      kind: fc.constant('ServiceAccount'),
      name: fc.constantFrom('u', 'sa'),
      namespace: fc.constantFrom('a', 'b'),
    },
    { requiredKeys: ['kind', 'name'] },
  ),
);

const subjects = fc.array(subject, { maxLength: 3 });
const roleRef = fc.oneof(
  fc.record({ kind: fc.constant('ClusterRole'), name }),
  fc.record({ kind: fc.constant('Role'), name }),
);

/** Objects are in the order of their names, as upstream's storage has them. */
export const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    roles: fc.dictionary(name, rules, { maxKeys: 3 }),
    clusterRoles: fc.dictionary(name, rules, { maxKeys: 4 }),
    roleBindings: fc.dictionary(name, fc.tuple(roleRef, subjects), { maxKeys: 4 }),
    clusterRoleBindings: fc.dictionary(
      name,
      fc.tuple(fc.record({ kind: fc.constant('ClusterRole'), name }), subjects),
      { maxKeys: 4 },
    ),
  })
  .map((drawn) => ({
    roles: inOrder(drawn.roles).map(([its, what]) => role('a', its, what)),
    clusterRoles: inOrder(drawn.clusterRoles).map(([its, what]) => clusterRole(its, what)),
    roleBindings: inOrder(drawn.roleBindings).map(([its, [to, who]]) =>
      binding({ namespace: 'a', name: its }, to, who),
    ),
    clusterRoleBindings: inOrder(drawn.clusterRoleBindings).map(([its, [to, who]]) =>
      binding({ name: its }, to, who),
    ),
  }));

function inOrder<Value>(values: Record<string, Value>): [string, Value][] {
  return Object.entries(values).sort(([left], [right]) => (left < right ? -1 : 1));
}

export const anyUser: fc.Arbitrary<UserInfo> = fc
  .record({
    name: fc.constantFrom('u', 'v', 'w', 'system:serviceaccount:a:sa', 'system:serviceaccount:b:u'),
    groups: fc.subarray(['g', 'h', 'system:authenticated']),
  })
  .map((drawn) => userNamed(drawn.name, drawn.groups));

export const anyRequest: fc.Arbitrary<Partial<RequestInfo>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      isResourceRequest: fc.constant(true),
      verb: fc.constantFrom('get', 'list', 'create', 'delete'),
      apiGroup: fc.constantFrom('', 'apps'),
      namespace: fc.constantFrom('', 'a', 'b'),
      resource: fc.constantFrom('pods', 'deployments'),
      subresource: fc.constantFrom('', 'log', 'scale'),
      name: fc.constantFrom('', ...NAMES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      isResourceRequest: fc.constant(false),
      verb: fc.constantFrom('get', 'post'),
      path: fc.constantFrom(...PATHS),
    }),
  },
);
