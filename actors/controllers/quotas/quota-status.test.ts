import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/meta/json.ts';
import { pod } from '../../registry/given-registry.fixture.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { startQuotaStatus } from './quota-status.ts';

const NS = '/api/v1/namespaces/shop';

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
  it('says what there is, also of what nobody has, and follows it', async () => {
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

  it('is written once for many changes, and not where nothing changed', async () => {
    const { started, post, objects, untilUsed } = await shop({ configmaps: '100' });
    const controller = await started(startQuotaStatus);
    await untilUsed({ configmaps: '0' });
    const versionOf = () => objects.versionOf('core/resourcequotas', 'shop/q');
    const before = versionOf();
    const maps = Array.from({ length: 50 }, (_, index) => ({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: `m${String(index)}` },
    }));
    await Promise.all(maps.map((map) => post(`${NS}/configmaps`, map)));
    await untilUsed({ configmaps: '50' });
    // Fifty ConfigMaps, and one status behind them.
    expect(versionOf() - before).toBe(51);
    await controller.stop();
  });

  it('is left to whoever else writes it', async () => {
    const { started, standAside, post, quiet, status } = await shop({ configmaps: '100' });
    standAside(true);
    const controller = await started(startQuotaStatus);
    await post(`${NS}/configmaps`, {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'm' },
    });
    await quiet();
    expect(await status()).not.toHaveProperty('used');
    await controller.stop();
  });
});
