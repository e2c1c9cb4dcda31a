import { describe, expect, it } from 'vitest';
import type { RequestInfo, UserInfo } from '../../request/request.ts';
import {
  binding,
  clusterRole,
  givenPolicy,
  NO_INFO,
  role,
  userNamed,
} from './given-policy.fixture.ts';
import { readRule, ruleJson } from './policy-rule.ts';
import { rbacAuthorizer } from './rbac.ts';
import type { RbacIndex } from './rbac-index.ts';

const READ_PODS = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const VIEW = { kind: 'ClusterRole', name: 'view' };
const JANE = { kind: 'User', name: 'jane' };

function decision(index: RbacIndex, user: UserInfo, request: Partial<RequestInfo> = {}) {
  return rbacAuthorizer(index).authorize({ user, request: { ...NO_INFO, ...request } });
}

function isAllowed(index: RbacIndex, user: UserInfo, request: Partial<RequestInfo> = {}): boolean {
  const decided = decision(index, user, request);
  return !(decided instanceof Promise) && decided.verdict === 'allow';
}

describe('RBAC', () => {
  it('says which binding allows it, to whom', () => {
    const { index } = givenPolicy({
      clusterRoles: [clusterRole('view', [READ_PODS])],
      clusterRoleBindings: [binding({ name: 'all' }, VIEW, [{ kind: 'Group', name: 'dev' }, JANE])],
      roleBindings: [
        binding({ namespace: 'shop', name: 'robots' }, VIEW, [
          { kind: 'ServiceAccount', name: 'robot' },
        ]),
      ],
    });
    const of = 'of ClusterRole "view" to';
    expect(decision(index, userNamed('jane'))).toEqual({
      verdict: 'allow',
      reason: `RBAC: allowed by ClusterRoleBinding "all" ${of} User "jane"`,
    });
    expect(decision(index, userNamed('jane', ['dev']))).toMatchObject({
      reason: `RBAC: allowed by ClusterRoleBinding "all" ${of} Group "dev"`,
    });
    const robot = userNamed('system:serviceaccount:shop:robot');
    expect(decision(index, robot, { namespace: 'shop' })).toEqual({
      verdict: 'allow',
      reason: `RBAC: allowed by RoleBinding "robots/shop" ${of} ServiceAccount "robot/shop"`,
    });
    expect(decision(index, robot)).toEqual({ verdict: 'noOpinion', reason: '' });
  });

  it('says which role is not there, unless another binding allows it', () => {
    const policy = {
      clusterRoles: [clusterRole('view', [READ_PODS])],
      clusterRoleBindings: [
        binding({ name: 'b' }, { kind: 'ClusterRole', name: 'gone' }, [JANE]),
        binding({ name: 'c' }, { kind: 'ClusterRole', name: 'gone' }, [JANE]),
      ],
      roleBindings: [
        binding({ namespace: 'n', name: 'a' }, { kind: 'Role', name: 'lost' }, [JANE]),
      ],
    };
    const lost = givenPolicy(policy);
    const gone = 'clusterrole.rbac.authorization.k8s.io "gone" not found';
    expect(decision(lost.index, userNamed('jane'))).toEqual({
      verdict: 'noOpinion',
      reason: `RBAC: ${gone}`,
    });
    expect(decision(lost.index, userNamed('jane'), { namespace: 'n' })).toEqual({
      verdict: 'noOpinion',
      reason: `RBAC: [${gone}, role.rbac.authorization.k8s.io "lost" not found]`,
    });
    lost.set('clusterrolebindings', binding({ name: 'd' }, VIEW, [JANE]));
    expect(isAllowed(lost.index, userNamed('jane'))).toBe(true);
  });

  it('follows every change from the next question on', () => {
    const given = givenPolicy();
    const jane = userNamed('jane', ['dev']);
    const bound = binding({ name: 'all' }, VIEW, [{ kind: 'Group', name: 'dev' }]);
    given.set('clusterrolebindings', bound);
    given.set('clusterroles', clusterRole('view', [READ_PODS]));
    expect(isAllowed(given.index, jane)).toBe(true);
    given.delete('clusterroles', clusterRole('view', []));
    expect(decision(given.index, jane)).toEqual({
      verdict: 'noOpinion',
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "view" not found',
    });
    given.set('clusterroles', clusterRole('view', []));
    expect(isAllowed(given.index, jane)).toBe(false);
    given.set('clusterroles', clusterRole('view', [{ ...READ_PODS, verbs: ['*'] }]));
    given.set('clusterrolebindings', binding({ name: 'all' }, VIEW, []));
    expect(isAllowed(given.index, jane)).toBe(false);
    given.set('clusterrolebindings', bound);
    given.delete('clusterrolebindings', bound);
    expect(isAllowed(given.index, jane)).toBe(false);
    given.set('clusterrolebindings', bound);
    given.followed.skipTo();
    expect(isAllowed(given.index, jane)).toBe(false);
  });

  it('finds a binding by one subject after its other subjects are gone', () => {
    const given = givenPolicy({ clusterRoles: [clusterRole('view', [READ_PODS])] });
    const [one, other] = ['one', 'other'].map((name) => ({ name }));
    const bound = (name: object, ...subjects: (typeof JANE)[]) =>
      binding(name as { name: string }, VIEW, subjects);
    given.set('clusterrolebindings', bound(one ?? {}, JANE));
    given.set('clusterrolebindings', bound(other ?? {}, JANE, { kind: 'User', name: 'bob' }));
    given.delete('clusterrolebindings', bound(one ?? {}));
    expect(isAllowed(given.index, userNamed('jane'))).toBe(true);
    given.set('clusterrolebindings', bound(other ?? {}, { kind: 'User', name: 'bob' }));
    expect(isAllowed(given.index, userNamed('jane'))).toBe(false);
    expect(isAllowed(given.index, userNamed('bob'))).toBe(true);
    // A subject of an unknown kind is no reason to fail when the binding goes.
    given.set('clusterrolebindings', bound(other ?? {}, { kind: 'Robot', name: 'r' }));
    given.delete('clusterrolebindings', bound(other ?? {}));
    expect(isAllowed(given.index, userNamed('bob'))).toBe(false);
  });

  it('names a binding of all namespaces before one of a namespace', () => {
    const { index } = givenPolicy({
      clusterRoles: [clusterRole('view', [READ_PODS])],
      clusterRoleBindings: ['z', 'y'].map((name) => binding({ name }, VIEW, [JANE])),
      roleBindings: ['b', 'a'].map((name) => binding({ namespace: 'n', name }, VIEW, [JANE])),
    });
    const jane = userNamed('jane');
    const names = index.bindingsOf(jane, 'n').map(({ name }) => name);
    expect(names).toEqual(['y', 'z', 'a', 'b']);
    expect(decision(index, jane, { namespace: 'n' })).toMatchObject({
      reason: 'RBAC: allowed by ClusterRoleBinding "z" of ClusterRole "view" to User "jane"',
    });
  });

  it('lists the rules of resources and of paths apart, and what could not be found', () => {
    const paths = { verbs: ['get'], nonResourceURLs: ['/x'] };
    const { index } = givenPolicy({
      clusterRoles: [clusterRole('view', [READ_PODS, paths])],
      clusterRoleBindings: [
        binding({ name: 'a' }, VIEW, [JANE]),
        binding({ name: 'b' }, { kind: 'ClusterRole', name: 'gone' }, [JANE]),
      ],
    });
    expect(rbacAuthorizer(index).rulesFor(userNamed('jane'), '')).toEqual({
      resourceRules: [readRule(READ_PODS)],
      pathRules: [readRule(paths)],
      isIncomplete: false,
      problem: 'clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
    expect(rbacAuthorizer(index).rulesFor(userNamed('bob'), '')).toEqual({
      ...{ resourceRules: [], pathRules: [], isIncomplete: false, problem: '' },
    });
  });

  it('decides paths by verb and by path, with a star at the end', () => {
    const paths = { verbs: ['get'], nonResourceURLs: ['/x', '/y/*'] };
    const { index } = givenPolicy({
      clusterRoles: [clusterRole('view', [paths])],
      clusterRoleBindings: [binding({ name: 'a' }, VIEW, [JANE])],
    });
    const may = (path: string, verb = 'get') =>
      isAllowed(index, userNamed('jane'), { isResourceRequest: false, path, verb });
    expect(['/x', '/y/', '/y/z'].map((path) => may(path))).toEqual([true, true, true]);
    expect(['/', '/x/', '/y', '/z/y/z'].map((path) => may(path))).toEqual([
      ...[false, false, false, false],
    ]);
    expect(may('/x', 'post')).toBe(false);
    // What is said of paths says nothing of resources.
    expect(isAllowed(index, userNamed('jane'), { path: '/x' })).toBe(false);
  });

  it('writes a rule without what is empty, but with its verbs', () => {
    const rule = { verbs: [], apiGroups: ['apps'], resources: ['deployments'] };
    expect(ruleJson(readRule(rule))).toEqual(rule);
    const full = { verbs: ['get'], nonResourceURLs: ['/x'], resourceNames: ['a'] };
    expect(ruleJson(readRule(full))).toEqual(full);
  });

  it('keeps the roles of namespaces apart', () => {
    const { index } = givenPolicy({
      roles: [role('a', 'r', [READ_PODS]), role('b', 'r', [])],
      roleBindings: ['a', 'b'].map((namespace) =>
        binding({ namespace, name: 'x' }, { kind: 'Role', name: 'r' }, [JANE]),
      ),
    });
    const jane = userNamed('jane');
    expect(isAllowed(index, jane, { namespace: 'a' })).toBe(true);
    expect(isAllowed(index, jane, { namespace: 'b' })).toBe(false);
    expect(isAllowed(index, jane)).toBe(false);
  });

  it.each(['__proto__', 'constructor', 'u:jane'])('is not confused by the name %s', (name) => {
    const { index } = givenPolicy({
      clusterRoles: [clusterRole(name, [READ_PODS])],
      clusterRoleBindings: [
        binding({ name }, { kind: 'ClusterRole', name }, [{ kind: 'User', name }]),
      ],
    });
    expect(isAllowed(index, userNamed(name))).toBe(true);
    expect(isAllowed(index, userNamed('jane', [name]))).toBe(false);
  });

  it('looks at no bindings but those of the user', () => {
    const bindings = Array.from({ length: 10_000 }, (_, at) =>
      binding({ name: `b${String(at)}` }, VIEW, [{ kind: 'User', name: `u${String(at)}` }]),
    );
    const { index } = givenPolicy({
      clusterRoles: [clusterRole('view', [READ_PODS])],
      clusterRoleBindings: bindings,
    });
    const user = userNamed('u7777', ['dev', 'system:authenticated']);
    const seen: string[] = [];
    index.visit(user, '', ({ name }) => {
      seen.push(name);
      return false;
    });
    expect(seen).toEqual(['b7777']);
    expect(isAllowed(index, user)).toBe(true);
  });
});
