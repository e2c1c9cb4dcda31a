import { describe, expect, it } from 'vitest';
import { listAt } from '../../../api/json/json.ts';
import { writtenKubeObject, type KubeObject } from '../../../api/meta/object-meta.ts';
import { givenControlPlane, type ControlPlane } from '../../registry/given-registry.fixture.ts';
import { bootstrapPolicy, ensureBootstrapPolicy } from './bootstrap-policy.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const VIEWER = `${RBAC}/clusterroles/system:public-info-viewer`;
const DISCOVERY = `${RBAC}/clusterrolebindings/system:discovery`;

/** Changes an object as a person would. */
async function edit(plane: ControlPlane, url: string, change: (object: KubeObject) => KubeObject) {
  const { object } = await plane.get(url);
  const { code, message } = await plane.put(url, change(object));
  expect([code, message]).toEqual([200, '']);
}

describe('bootstrapPolicy', () => {
  it('has more where features are on, and what it has else', () => {
    const usual = bootstrapPolicy();
    const more = bootstrapPolicy(
      (gate) => gate.startsWith('GenericWork') || gate.startsWith('Pod'),
    );
    const named = (policy: readonly KubeObject[], wanted: string): KubeObject | undefined =>
      policy.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === wanted);
    expect(more.length).toBeGreaterThan(usual.length);
    for (const name of ['system:node', 'system:kube-scheduler']) {
      const [before, after] = [named(usual, name), named(more, name)];
      const rules = listAt(before, 'rules');
      expect(listAt(after, 'rules').slice(0, rules.length)).toEqual(rules);
      expect(listAt(after, 'rules').length).toBeGreaterThan(rules.length);
    }
    const cleaner = 'system:controller:podcertificaterequestcleaner';
    expect([named(usual, cleaner), named(more, cleaner)?.kind]).toEqual([undefined, 'ClusterRole']);
  });
});

describe('ensureBootstrapPolicy', () => {
  it('makes all there is, and then leaves it alone', async () => {
    const plane = await givenControlPlane();
    await ensureBootstrapPolicy(plane);
    const { items } = await plane.get(`${RBAC}/clusterroles`);
    expect(items).toHaveLength(
      bootstrapPolicy().filter(({ kind }) => kind === 'ClusterRole').length,
    );
    const before = plane.applied.current;
    await ensureBootstrapPolicy(plane);
    expect(plane.applied.current).toBe(before);
  });

  it('gives back what a user took, and leaves what the user added', async () => {
    const plane = await givenControlPlane();
    await ensureBootstrapPolicy(plane);
    const { object: whole } = await plane.get(VIEWER);
    const added = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
    await edit(plane, VIEWER, (role) => ({ ...role, rules: [added] }));
    const bob = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' };
    await edit(plane, DISCOVERY, (binding) => ({ ...binding, subjects: [bob] }));
    await ensureBootstrapPolicy(plane);
    const { object: role } = await plane.get(VIEWER);
    const urls = (whole['rules'] as { nonResourceURLs: string[] }[]).flatMap(
      ({ nonResourceURLs }) => nonResourceURLs,
    );
    expect(role['rules']).toEqual([
      added,
      ...urls.map((url) => ({ verbs: ['get'], nonResourceURLs: [url] })),
    ]);
    const { object: binding } = await plane.get(DISCOVERY);
    expect(binding['subjects']).toMatchObject([bob, { name: 'system:authenticated' }]);
  });

  it('makes a binding anew that binds something else', async () => {
    const plane = await givenControlPlane();
    await ensureBootstrapPolicy(plane);
    const { object } = await plane.get(DISCOVERY);
    await plane.del(DISCOVERY);
    const { name, labels, annotations } = object.metadata;
    await plane.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: name ?? '', labels: { ...labels }, annotations: { ...annotations } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    });
    await ensureBootstrapPolicy(plane);
    const { object: again } = await plane.get(DISCOVERY);
    expect(again['roleRef']).toEqual(object['roleRef']);
    expect(again.metadata.uid).not.toBe(object.metadata.uid);
  });

  it.each([
    ['false', ['bob']],
    ['true', ['bob', 'system:authenticated', 'system:unauthenticated']],
  ])('binds as discovery does to public information (autoupdate: %s)', async (update, names) => {
    const plane = await givenControlPlane();
    await ensureBootstrapPolicy(plane);
    const bob = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' };
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': update, 'x.io/a': 'b' };
    await edit(plane, DISCOVERY, ({ metadata, ...binding }) => ({
      ...binding,
      metadata: { ...metadata, annotations },
      subjects: [bob],
    }));
    const url = `${RBAC}/clusterrolebindings/system:public-info-viewer`;
    expect((await plane.del(url)).code).toBe(200);
    await ensureBootstrapPolicy(plane);
    const { object } = await plane.get(url);
    expect(object.metadata.annotations).toEqual(annotations);
    expect(object['subjects']).toMatchObject(names.map((name) => ({ name })));
  });

  it('lets be what is protected', async () => {
    const plane = await givenControlPlane();
    await ensureBootstrapPolicy(plane);
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    await edit(plane, VIEWER, ({ metadata, ...role }) => ({
      ...writtenKubeObject(role),
      metadata: { ...metadata, annotations },
      rules: [],
    }));
    await ensureBootstrapPolicy(plane);
    const { object } = await plane.get(VIEWER);
    expect(object['rules'] ?? []).toEqual([]);
  });
});
