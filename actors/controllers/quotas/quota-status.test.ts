import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { pod } from '../../registry/given-registry.fixture.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { startQuotaStatus } from './quota-status.ts';

const NS = '/api/v1/namespaces/shop';
const QUOTA = { kind: 'ResourceQuota', apiVersion: 'v1' };
const MAPS = Array.from({ length: 50 }, (_, index) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: `m${String(index)}` },
}));

async function shop(hard: JsonObject) {
  const given = await givenControllers();
  const object = (kind: string, name: string, more: JsonObject = {}) => {
    return { kind, apiVersion: 'v1', metadata: { name }, ...more };
  };
  await given.post('/api/v1/namespaces', object('Namespace', 'shop'));
  await given.post(`${NS}/serviceaccounts`, object('ServiceAccount', 'default'));
  await given.post(`${NS}/resourcequotas`, object('ResourceQuota', 'q', { spec: { hard } }));
  const status = async () => (await given.get(`${NS}/resourcequotas/q`)).object['status'];
  const untilUsed = (used: JsonObject) =>
    given.until(`${JSON.stringify(used)} is used`, async () => {
      const told = (await status()) as JsonObject | undefined;
      return JSON.stringify(told?.['used']) === JSON.stringify(used);
    });
  /** Behind everything that was to be done soon. */
  const quiet = () => {
    let turns = 0;
    return given.until('time has passed', () => (turns += 1) > 100);
  };
  return { ...given, status, untilUsed, quiet };
}

describe('the status of a ResourceQuota', () => {
  it('says what there is, also of what there is none of, and follows it', async () => {
    const { started, post, del, status, untilUsed } = await shop({
      pods: '5',
      'requests.cpu': '2',
      'count/widgets.example.com': '1',
    });
    const resources = { requests: { cpu: '250m' } };
    const spec = { containers: [{ name: 'main', image: 'nginx', resources }] };
    await post(`${NS}/pods`, pod('a', spec));
    const controller = await started(startQuotaStatus);
    await untilUsed({ pods: '1', 'requests.cpu': '250m' });
    expect(await status()).toMatchObject({
      hard: { pods: '5', 'requests.cpu': '2', 'count/widgets.example.com': '1' },
    });
    await post(`${NS}/pods`, pod('b', spec));
    await untilUsed({ pods: '2', 'requests.cpu': '500m' });
    await del(`${NS}/pods/a`, { gracePeriodSeconds: 0 });
    await del(`${NS}/pods/b`, { gracePeriodSeconds: 0 });
    await untilUsed({ pods: '0', 'requests.cpu': '0' });
    await controller.stop();
  });

  it('follows what DeviceClasses stand for, and the pods that claims were made for', async () => {
    const gpu = 'requests.example.com/gpu';
    const { started, post, put, del, untilUsed, clock, quiet } = await shop({ [gpu]: '5' });
    const resourceGroup = '/apis/resource.k8s.io/v1';
    const claims = `${resourceGroup}/namespaces/shop/resourceclaims`;
    const device = (kind: string, metadata: JsonObject, spec: JsonObject) => {
      return { kind, apiVersion: 'resource.k8s.io/v1', metadata, spec };
    };
    const amounts = { 'example.com/gpu': '1' };
    const resources = { requests: amounts, limits: amounts };
    const containers = [{ name: 'main', image: 'nginx', resources }];
    const { metadata } = (await post(`${NS}/pods`, pod('a', { containers }))).object;
    const { uid } = metadata as JsonObject;
    const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 };
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid, controller: true };
    const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
    const made = { name: 'a', annotations, ownerReferences: [owner] };
    const spec = { devices: { requests: [{ name: 'r', exactly }] } };
    expect((await post(claims, device('ResourceClaim', made, spec))).code).toBe(201);
    const controller = await started(startQuotaStatus);
    await untilUsed({ [gpu]: '1' });
    // What the controller wrote itself makes it look once more.
    await quiet();
    const begun = clock.now();
    const classOf = (more: JsonObject) => device('DeviceClass', { name: 'gpu' }, more);
    const classes = `${resourceGroup}/deviceclasses`;
    await post(classes, classOf({ extendedResourceName: 'example.com/gpu' }));
    await untilUsed({ [gpu]: '2' });
    await quiet();
    await put(`${classes}/gpu`, classOf({}));
    await untilUsed({ [gpu]: '1' });
    await quiet();
    await put(`${classes}/gpu`, classOf({ extendedResourceName: 'example.com/gpu' }));
    await untilUsed({ [gpu]: '2' });
    // Not because it looks at everything once a minute.
    expect(clock.now() - begun).toBeLessThan(10_000);
    await del(`${NS}/pods/a`, { gracePeriodSeconds: 0 });
    await del(claims, {});
    await untilUsed({ [gpu]: '0' });
    await controller.stop();
  });

  it('is written once for many deletions, and not where nothing changed', async () => {
    const { started, post, del, objects, untilUsed, quiet } = await shop({ configmaps: '100' });
    await Promise.all(MAPS.map((map) => post(`${NS}/configmaps`, map)));
    const controller = await started(startQuotaStatus);
    await untilUsed({ configmaps: '50' });
    await quiet();
    const versionOf = () => objects.versionOf('core/resourcequotas', 'shop/q');
    const before = versionOf();
    await Promise.all(MAPS.map(({ metadata }) => del(`${NS}/configmaps/${metadata.name}`)));
    await untilUsed({ configmaps: '0' });
    // Fifty deletions, and one status behind them.
    expect(versionOf() - before).toBe(51);
    await quiet();
    expect(versionOf() - before).toBe(51);
    await controller.stop();
  });

  it('is put right where another controller wrote what is not so', async () => {
    const { started, standAside, get, put, post, untilUsed } = await shop({ configmaps: '100' });
    standAside(true);
    const controller = await started(startQuotaStatus);
    await Promise.all(MAPS.map((map) => post(`${NS}/configmaps`, map)));
    await untilUsed({ configmaps: '50' });
    const { object } = await get(`${NS}/resourcequotas/q`);
    object['status'] = { hard: { configmaps: '100' }, used: { configmaps: '3' } };
    expect((await put(`${NS}/resourcequotas/q/status`, object)).code).toBe(200);
    await untilUsed({ configmaps: '50' });
    await controller.stop();
  });
});

describe('the status of a ResourceQuota without any controller', () => {
  it('counts an object when its client is answered', async () => {
    const { post, status } = await shop({ configmaps: '100' });
    for (const [index, map] of MAPS.slice(0, 3).entries()) {
      expect((await post(`${NS}/configmaps`, map)).code).toBe(201);
      const used = { configmaps: String(index + 1) };
      expect(await status()).toEqual({ hard: { configmaps: '100' }, used });
    }
  });

  it('counts what an update uses more, of every quota that counts it', async () => {
    const { post, put, get, status } = await shop({ 'services.nodeports': '9', services: '9' });
    const more = { hard: { 'services.nodeports': '5' } };
    await post(`${NS}/resourcequotas`, { ...QUOTA, metadata: { name: 'other' }, spec: more });
    const ports = [{ name: 'a', port: 80 }];
    const spec = { type: 'ClusterIP', ports };
    await post(`${NS}/services`, {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 's' },
      spec,
    });
    expect(await status()).toMatchObject({ used: { services: '1', 'services.nodeports': '0' } });
    const { object } = await get(`${NS}/services/s`);
    object['spec'] = { ...(object['spec'] as JsonObject), type: 'NodePort' };
    expect((await put(`${NS}/services/s`, object)).code).toBe(200);
    expect(await status()).toMatchObject({ used: { services: '1', 'services.nodeports': '1' } });
    const other = (await get(`${NS}/resourcequotas/other`)).object;
    expect(other['status']).toMatchObject({ used: { 'services.nodeports': '1' } });
  });

  it('is shared by requests that come at once, and never above what is allowed', async () => {
    const { post, status, objects, parts } = await shop({ configmaps: '20' });
    const told: unknown[] = [];
    parts.listen(({ resource, object }) => {
      if (resource !== 'core/resourcequotas') return;
      const { status: said } = JSON.parse(object.json.toString()) as {
        status: { used: JsonObject };
      };
      told.push(said.used['configmaps']);
    });
    const before = objects.of('core/resourcequotas').changedAt;
    const answers = await Promise.all(MAPS.map((map) => post(`${NS}/configmaps`, map)));
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(20);
    expect(await status()).toMatchObject({ used: { configmaps: '20' } });
    expect(objects.of('core/resourcequotas').changedAt - before).toBeLessThanOrEqual(40);
    const counts = told.map(Number);
    expect(counts.length).toBeLessThanOrEqual(20);
    expect([...counts].sort((a, b) => a - b)).toEqual(counts);
    expect(Math.max(...counts)).toBe(20);
  });

  it('is not touched by dry runs, refusals and updates that use no more', async () => {
    const { post, put, get, objects } = await shop({ configmaps: '1' });
    const [map] = MAPS;
    const versionOf = () => objects.versionOf('core/resourcequotas', 'shop/q');
    const untouched = versionOf();
    await post(`${NS}/configmaps?dryRun=All`, { ...map });
    expect(versionOf()).toBe(untouched);
    await post(`${NS}/configmaps`, { ...map });
    const counted = versionOf();
    expect(counted).toBeGreaterThan(untouched);
    expect((await post(`${NS}/configmaps`, { ...MAPS[1] })).code).toBe(403);
    const { object } = await get(`${NS}/configmaps/m0`);
    expect((await put(`${NS}/configmaps/m0`, { ...object, data: { a: 'b' } })).code).toBe(200);
    expect(versionOf()).toBe(counted);
  });
});
