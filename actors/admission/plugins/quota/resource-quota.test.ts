/** The configuration of ResourceQuota by its name of today, and by the one it had in beta. */
import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { givenControlPlane, pod } from '../../../registry/given-registry.fixture.ts';
import { limitedResourcesIn } from './resource-quota.ts';

const NS = '/api/v1/namespaces/shop';

async function shop(quotas: Readonly<Record<string, JsonObject>> = {}) {
  const plane = await givenControlPlane();
  await plane.post('/api/v1/namespaces', {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'shop' },
  });
  // Pods run as a service account.
  await plane.post(`${NS}/serviceaccounts`, {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'default' },
  });
  for (const [name, spec] of Object.entries(quotas)) {
    const quota = { kind: 'ResourceQuota', apiVersion: 'v1', metadata: { name }, spec };
    const told = await plane.post(`${NS}/resourcequotas`, quota);
    expect(told.code, told.message).toBe(201);
  }
  return plane;
}

function needing(name: string, requests: JsonObject, limits: JsonObject = {}): JsonObject {
  const containers = [{ name: 'main', image: 'nginx', resources: { requests, limits } }];
  return pod(name, { containers });
}

function service(name: string, type: string): JsonObject {
  const spec = { type, ports: [{ port: 80 }, { port: 81, name: 'b' }].map(named) };
  return { kind: 'Service', apiVersion: 'v1', metadata: { name }, spec };
}

function named(port: JsonObject, index: number): JsonObject {
  return { name: `p${String(index)}`, ...port };
}

describe('ResourceQuota', () => {
  it('counts the devices that claims ask for by their class, at the worst', async () => {
    const gpus = 'gpu.deviceclass.resource.k8s.io/devices';
    const { post, del } = await shop({ q: { hard: { [gpus]: '4' } } });
    const claims = '/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims';
    const claim = (name: string, request: JsonObject): JsonObject => ({
      kind: 'ResourceClaim',
      apiVersion: 'resource.k8s.io/v1',
      metadata: { name },
      spec: { devices: { requests: [{ name: 'r', ...request }] } },
    });
    const exactly = (deviceClassName: string, count: number) => ({
      exactly: { deviceClassName, allocationMode: 'ExactCount', count },
    });
    expect(await post(claims, claim('a', exactly('gpu', 3)))).toMatchObject({ code: 201 });
    expect(await post(claims, claim('other', exactly('nic', 30)))).toMatchObject({ code: 201 });
    const refused = await post(claims, claim('b', exactly('gpu', 2)));
    expect(refused.message).toBe(
      `resourceclaims.resource.k8s.io "b" is forbidden: exceeded quota: q, requested: ${gpus}=2, used: ${gpus}=3, limited: ${gpus}=4`,
    );
    const all = { exactly: { deviceClassName: 'gpu', allocationMode: 'All' } };
    expect((await post(claims, claim('c', all))).message).toContain(`requested: ${gpus}=32`);
    await del(`${claims}/a`);
    expect(await post(claims, claim('b', exactly('gpu', 4)))).toMatchObject({ code: 201 });
  });

  it('admits what fits, and not one more', async () => {
    const { post, del } = await shop({ q: { hard: { pods: '3' } } });
    for (const name of ['a', 'b', 'c']) {
      expect((await post(`${NS}/pods`, pod(name))).code).toBe(201);
    }
    const refused = await post(`${NS}/pods`, pod('d'));
    expect(refused.code).toBe(403);
    expect(refused.message).toBe(
      'pods "d" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3',
    );
    await del(`${NS}/pods/b`, { gracePeriodSeconds: 0 });
    expect((await post(`${NS}/pods`, pod('d'))).code).toBe(201);
  });

  it('ends at exactly the quota when hundreds come at once', async () => {
    const { post, get } = await shop({ q: { hard: { pods: '17' } } });
    const told = await Promise.all(
      Array.from({ length: 200 }, (_, index) => post(`${NS}/pods`, pod(`p${String(index)}`))),
    );
    expect(told.filter(({ code }) => code === 201)).toHaveLength(17);
    expect(told.filter(({ code }) => code === 403)).toHaveLength(183);
    expect((await get(`${NS}/pods`)).names).toHaveLength(17);
  });

  it('decides again when another server was first', async () => {
    const { post, get, elsewhere } = await shop({ q: { hard: { 'count/configmaps': '2' } } });
    const map = (name: string) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } });
    await post(`${NS}/configmaps`, map('a'));
    // Decided when there is one, and in the log behind the other's.
    const mine = post(`${NS}/configmaps`, map('c'));
    await elsewhere('core/configmaps', 'shop/b', (object) => {
      Object.assign(object, { ...map('b'), metadata: { name: 'b', namespace: 'shop', uid: 'b' } });
      return 'added';
    });
    expect((await mine).message).toBe(
      'configmaps "c" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
    );
    expect((await get(`${NS}/configmaps`)).names).toEqual(['a', 'b']);
  });

  it('says what a container must say where cpu and memory are counted', async () => {
    const { post } = await shop({
      q: { hard: { 'limits.cpu': '2', 'requests.memory': '1Gi', 'limits.memory': '1Gi' } },
    });
    const two = pod('a', {
      containers: [
        { name: 'y', image: 'nginx', resources: { limits: { memory: '1Mi' } } },
        { name: 'x', image: 'nginx' },
      ],
    });
    expect((await post(`${NS}/pods`, two)).message).toBe(
      'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: x,y; limits.memory for: x; requests.memory for: x',
    );
    const fits = needing('b', {}, { cpu: '1500m', memory: '512Mi' });
    expect((await post(`${NS}/pods`, fits)).code).toBe(201);
    const tooMuch = needing('c', {}, { cpu: '600m', memory: '1Gi' });
    expect((await post(`${NS}/pods`, tooMuch)).message).toBe(
      'pods "c" is forbidden: exceeded quota: q, requested: limits.cpu=600m,limits.memory=1Gi,requests.memory=1Gi, used: limits.cpu=1500m,limits.memory=512Mi,requests.memory=512Mi, limited: limits.cpu=2,limits.memory=1Gi,requests.memory=1Gi',
    );
  });

  it('charges updates for what they use more', async () => {
    const { post, put, get } = await shop({
      q: { hard: { 'services.loadbalancers': '1', 'services.nodeports': '4' } },
    });
    expect((await post(`${NS}/services`, service('a', 'LoadBalancer'))).code).toBe(201);
    expect((await post(`${NS}/services`, service('b', 'ClusterIP'))).code).toBe(201);
    const { object } = await get(`${NS}/services/b`);
    object['spec'] = { ...(object['spec'] as JsonObject), type: 'LoadBalancer' };
    const refused = await put(`${NS}/services/b`, object);
    expect(refused.message).toBe(
      'services "b" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=1, limited: services.loadbalancers=1',
    );
    object['spec'] = { ...object['spec'], type: 'NodePort' };
    expect((await put(`${NS}/services/b`, object)).code).toBe(200);
    const third = await post(`${NS}/services`, service('c', 'NodePort'));
    expect(third.message).toContain('requested: services.nodeports=2, used: services.nodeports=4');
  });

  it('counts what is in the scopes of a quota only', async () => {
    const { post } = await shop({
      effort: { hard: { pods: '1' }, scopes: ['BestEffort'] },
      ending: { hard: { pods: '1' }, scopes: ['Terminating'] },
    });
    expect((await post(`${NS}/pods`, pod('a'))).code).toBe(201);
    expect((await post(`${NS}/pods`, needing('b', { cpu: '1' }))).code).toBe(201);
    expect((await post(`${NS}/pods`, pod('c'))).message).toContain('exceeded quota: effort,');
    const ending = needing('d', { cpu: '1' });
    const spec = { ...(ending['spec'] as JsonObject), activeDeadlineSeconds: 9 };
    expect((await post(`${NS}/pods`, { ...ending, spec })).code).toBe(201);
    const another = { ...ending, metadata: { name: 'e' }, spec };
    expect((await post(`${NS}/pods`, another)).message).toContain('exceeded quota: ending,');
  });

  it('does not charge dry runs, though they are told', async () => {
    const { post, get } = await shop({ q: { hard: { secrets: '1' } } });
    const secret = (name: string) => ({ kind: 'Secret', apiVersion: 'v1', metadata: { name } });
    expect((await post(`${NS}/secrets?dryRun=All`, secret('a'))).code).toBe(201);
    expect((await post(`${NS}/secrets`, secret('a'))).code).toBe(201);
    expect((await post(`${NS}/secrets?dryRun=All`, secret('b'))).code).toBe(403);
    expect((await get(`${NS}/secrets`)).names).toEqual(['a']);
  });

  it('does not count pods that have ended', async () => {
    const { post, patch } = await shop({ q: { hard: { pods: '1', 'count/pods': '2' } } });
    expect((await post(`${NS}/pods`, pod('a'))).code).toBe(201);
    expect((await post(`${NS}/pods`, pod('b'))).code).toBe(403);
    await patch(`${NS}/pods/a/status`, 'merge', { status: { phase: 'Succeeded' } });
    expect((await post(`${NS}/pods`, pod('b'))).code).toBe(201);
    expect((await post(`${NS}/pods`, pod('c'))).message).toContain('count/pods=1');
  });

  it('counts by the class of storage', async () => {
    const { post } = await shop({
      q: { hard: { 'gold.storageclass.storage.k8s.io/requests.storage': '10Gi' } },
    });
    const claim = (name: string, storageClassName: string, storage: string) => ({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName,
        resources: { requests: { storage } },
      },
    });
    const url = `${NS}/persistentvolumeclaims`;
    expect((await post(url, claim('a', 'gold', '6Gi'))).code).toBe(201);
    expect((await post(url, claim('b', 'silver', '600Gi'))).code).toBe(201);
    expect((await post(url, claim('c', 'gold', '6Gi'))).message).toContain(
      'used: gold.storageclass.storage.k8s.io/requests.storage=6Gi',
    );
  });
});

const limitedResources = [{ resource: 'pods', matchContains: ['pods'] }];

function read(kind: string, apiVersion: string) {
  return limitedResourcesIn({ content: { kind, apiVersion, limitedResources }, file: 'q.yaml' });
}

it.each([
  ['ResourceQuotaConfiguration', 'apiserver.config.k8s.io/v1'],
  ['Configuration', 'resourcequota.admission.k8s.io/v1beta1'],
  ['Configuration', 'resourcequota.admission.k8s.io/v1alpha1'],
])('%s of %s limits what it names', (kind, apiVersion) => {
  expect(read(kind, apiVersion)).toEqual([
    { resource: 'core/pods', matchContains: ['pods'], matchScopes: [] },
  ]);
});

it.each([
  ['ResourceQuotaConfiguration', 'resourcequota.admission.k8s.io/v1beta1'],
  ['Configuration', 'apiserver.config.k8s.io/v1'],
])('%s is of no version %s', (kind, apiVersion) => {
  expect(() => read(kind, apiVersion)).toThrow();
});
