import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import {
  ALLOW,
  type Attributes,
  type Authorizer,
  NO_OPINION,
} from '../../../authorization/authorizer.ts';
import { givenControlPlane } from '../../../registry/given-registry.fixture.ts';
import { rbacEscalation } from './rbac-escalation.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const READ = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

/** The authorizer fails, with a rejected promise, when it is asked for this verb. */
interface Failing {
  readonly failsAt?: string;
}

/** Jane may `verb`, and holds `rules` in all namespaces. */
async function given(verb = '', rules: readonly JsonObject[] = [], { failsAt }: Failing = {}) {
  const asked: Attributes[] = [];
  const authorizer: Authorizer = {
    authorize(attributes) {
      asked.push(attributes);
      if (attributes.request.verb === failsAt) return Promise.reject(new Error('out of order'));
      return attributes.request.verb === verb || attributes.request.verb === 'create'
        ? ALLOW
        : NO_OPINION;
    },
  };
  const plane = await givenControlPlane({
    authorizer,
    plugins: (world) => [rbacEscalation(world)],
  });
  const { loopback } = plane;
  const made = async (path: string, body: JsonObject): Promise<void> => {
    const answer = await loopback({ method: 'POST', path: `${RBAC}/${path}`, body });
    if (answer.kind === 'Status') throw new Error(answer.status.message);
  };
  await made('clusterroles', { metadata: { name: 'held' }, rules: [...rules] });
  await made('clusterrolebindings', {
    metadata: { name: 'held' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'held' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
  });
  await made('clusterroles', { metadata: { name: 'strong' }, rules: [READ] });
  return { ...plane, asked };
}

function roleOf(rules: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { metadata: { name: 'new' }, rules: [...rules], ...more };
}

const TO_BOB: JsonObject = {
  metadata: { name: 'new' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'strong' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
};

const WHO = 'user "jane" (groups=["system:authenticated"])';
const LACKS = `${WHO} is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`;

describe('the escalation check', () => {
  it('refuses a role with more than its writer has', async () => {
    const { post } = await given();
    const { code, message } = await post(`${RBAC}/clusterroles`, roleOf([READ]));
    const refusal = `clusterroles.rbac.authorization.k8s.io "new" is forbidden: ${LACKS}`;
    expect([code, message]).toEqual([403, refusal]);
    const inNamespace = await post(`${RBAC}/namespaces/default/roles`, roleOf([READ]));
    expect(inNamespace.message).toBe(refusal.replace('clusterroles', 'roles'));
  });

  it('lets a role pass that its writer has, or may escalate', async () => {
    const holding = await given('', [{ ...READ, verbs: ['*'] }]);
    expect((await holding.post(`${RBAC}/clusterroles`, roleOf([READ]))).code).toBe(201);
    const escalating = await given('escalate');
    expect((await escalating.post(`${RBAC}/clusterroles`, roleOf([READ]))).code).toBe(201);
    expect(escalating.asked.at(-1)?.request).toMatchObject({
      verb: 'escalate',
      resource: 'clusterroles',
      name: '',
      apiVersion: '*',
    });
  });

  it('asks full power of a user that aggregates', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const { post } = await given('', [READ]);
    const { message } = await post(`${RBAC}/clusterroles`, roleOf([], { aggregationRule }));
    expect(message).toBe(
      'clusterroles.rbac.authorization.k8s.io "new" is forbidden: ' +
        'must have cluster-admin privileges to use the aggregationRule',
    );
  });

  it('asks no more power for an aggregationRule without selectors, which is invalid', async () => {
    const aggregationRule = { clusterRoleSelectors: [] };
    const { post } = await given('', [READ]);
    expect((await post(`${RBAC}/clusterroles`, roleOf([], { aggregationRule }))).code).toBe(422);
  });

  const ALL_RESOURCES = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const ALL_PATHS = { verbs: ['*'], nonResourceURLs: ['*'] };

  it.each([
    [201, [ALL_RESOURCES, ALL_PATHS]],
    [403, [ALL_RESOURCES]],
    [403, [ALL_PATHS]],
    [403, [{ ...ALL_RESOURCES, verbs: ['get'] }, ALL_PATHS]],
    [403, [{ ...ALL_RESOURCES, apiGroups: [''] }, ALL_PATHS]],
    [403, [{ ...ALL_RESOURCES, resources: ['pods'] }, ALL_PATHS]],
    [403, [{ ...ALL_RESOURCES, resourceNames: ['a'] }, ALL_PATHS]],
    [403, [ALL_RESOURCES, { ...ALL_PATHS, verbs: ['get'] }]],
    [403, [ALL_RESOURCES, { ...ALL_PATHS, nonResourceURLs: ['/api*'] }]],
  ] as [number, JsonObject[]][])('full power is all of it: %i for %j', async (code, held) => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const { post } = await given('', held);
    expect((await post(`${RBAC}/clusterroles`, roleOf([], { aggregationRule }))).code).toBe(code);
  });

  it('refuses updates and patches alike, but for owners and finalizers', async () => {
    const { put, patch, get } = await given();
    const url = `${RBAC}/clusterroles/strong`;
    const { object } = await get(url);
    expect((await put(url, { ...object, rules: [READ, READ] })).code).toBe(403);
    expect((await patch(url, 'merge', { metadata: { labels: { a: 'b' } } })).code).toBe(403);
    expect((await patch(url, 'merge', { metadata: { finalizers: ['a.b/c'] } })).code).toBe(200);
  });

  it('refuses to bind what is no role, whatever the binder may bind', async () => {
    const { post, asked } = await given('bind');
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'strong' };
    const refusal = await post(`${RBAC}/clusterrolebindings`, { ...TO_BOB, roleRef });
    expect([refusal.code, refusal.message]).toEqual([
      500,
      'unsupported role reference kind: "Group"',
    ]);
    expect(asked.filter(({ request }) => request.verb === 'bind')).toEqual([]);
  });

  it('refuses to bind what the binder has not, unless he may bind it', async () => {
    const weak = await given();
    const refusal = await weak.post(`${RBAC}/clusterrolebindings`, TO_BOB);
    expect(refusal.message).toBe(
      `clusterrolebindings.rbac.authorization.k8s.io "new" is forbidden: ${LACKS}`,
    );
    const holding = await given('', [READ]);
    expect((await holding.post(`${RBAC}/clusterrolebindings`, TO_BOB)).code).toBe(201);
    const binding = await given('bind');
    const made = await binding.post(`${RBAC}/namespaces/default/rolebindings`, TO_BOB);
    expect(made.code).toBe(201);
    expect(binding.asked.at(-1)?.request).toMatchObject({
      verb: 'bind',
      resource: 'clusterroles',
      name: 'strong',
      namespace: 'default',
    });
  });

  it('says that a role is not there to a user that does not see it and cannot bind it', async () => {
    const { post } = await given();
    const lost = { ...(TO_BOB['roleRef'] as JsonObject), name: 'lost' };
    const answer = await post(`${RBAC}/clusterrolebindings`, { ...TO_BOB, roleRef: lost });
    expect([answer.code, answer.message]).toEqual([
      404,
      'clusterroles.rbac.authorization.k8s.io "lost" not found',
    ]);
  });

  it.each(['escalate', 'bind'])('takes an authorizer that fails at %s for a no', async (verb) => {
    const { post } = await given('', [], { failsAt: verb });
    const refusals = [
      await post(`${RBAC}/clusterroles`, roleOf([READ])),
      await post(`${RBAC}/clusterrolebindings`, TO_BOB),
    ];
    for (const { code, message } of refusals) {
      expect([code, message.includes(LACKS)]).toEqual([403, true]);
    }
  });

  it('judges the Role of the namespace that the binding is in, and no other', async () => {
    const { post, loopback } = await given();
    const role = async (namespace: string, rules: JsonObject[]): Promise<void> => {
      const path = `${RBAC}/namespaces/${namespace}/roles`;
      await loopback({ method: 'POST', path, body: { metadata: { name: 'same' }, rules } });
    };
    await loopback({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: 'other' } },
    });
    await role('default', [READ]);
    await role('other', []);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'same' };
    const bound = (namespace: string) =>
      post(`${RBAC}/namespaces/${namespace}/rolebindings`, { ...TO_BOB, roleRef });
    const refusal = await bound('default');
    expect([refusal.code, refusal.message.includes(LACKS)]).toEqual([403, true]);
    expect((await bound('other')).code).toBe(201);
  });

  it('asks full power of a user that takes an aggregationRule away', async () => {
    const { put, get, loopback } = await given('', [READ]);
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const body = { metadata: { name: 'gathered' }, aggregationRule };
    await loopback({ method: 'POST', path: `${RBAC}/clusterroles`, body });
    const url = `${RBAC}/clusterroles/gathered`;
    const { aggregationRule: _taken, ...without } = (await get(url)).object;
    const { code, message } = await put(url, { ...without, rules: [READ] });
    expect(code).toBe(403);
    expect(message).toContain('must have cluster-admin privileges to use the aggregationRule');
  });

  it('says that nothing is bound but roles', async () => {
    const { post, loopback: _ } = await given();
    const roleRef = { ...(TO_BOB['roleRef'] as JsonObject), kind: 'Robot' };
    const { message } = await post(`${RBAC}/clusterrolebindings`, { ...TO_BOB, roleRef });
    expect(message).toContain('unsupported role reference kind: "Robot"');
  });

  it('has nothing to say of what grants nothing', async () => {
    const { post } = await given();
    const made = await post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
    expect(made.code).toBe(201);
  });

  it('is asked for a PUT that creates too', async () => {
    const { put } = await given();
    const refusal = await put(`${RBAC}/clusterroles/new`, roleOf([READ]));
    expect([refusal.code, refusal.message.includes(LACKS)]).toEqual([403, true]);
  });
});
