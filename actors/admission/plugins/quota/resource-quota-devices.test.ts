/** Quotas for extended resources, which pods use, and the claims that get their devices. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import { givenControlPlane, pod } from '../../../registry/given-registry.fixture.ts';

const NS = '/api/v1/namespaces/shop';
const CLAIMS = '/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims';
const CLASSES = '/apis/resource.k8s.io/v1/deviceclasses';
const GPU = 'requests.example.com/gpu';
const GPU_CLASS = 'requests.deviceclass.resource.kubernetes.io/gpu';

function deviceClass(name: string, extendedResourceName?: string): JsonObject {
  return {
    kind: 'DeviceClass',
    apiVersion: 'resource.k8s.io/v1',
    metadata: { name },
    spec: { extendedResourceName },
  };
}

function claim(name: string, count: number, owner?: JsonObject): JsonObject {
  const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count };
  const madeFor = {
    annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', controller: true, ...owner }],
  };
  return {
    kind: 'ResourceClaim',
    apiVersion: 'resource.k8s.io/v1',
    metadata: { name, ...(owner !== undefined && madeFor) },
    spec: { devices: { requests: [{ name: 'r', exactly }] } },
  };
}

function asking(name: string, what: string, count: number): JsonObject {
  const amounts = { [what]: String(count) };
  const resources = { requests: amounts, limits: amounts };
  return pod(name, { containers: [{ name: 'main', image: 'nginx', resources }] });
}

async function shop(hard: JsonObject, classes: readonly JsonObject[]) {
  const plane = await givenControlPlane();
  const named = (kind: string, name: string) => ({ kind, apiVersion: 'v1', metadata: { name } });
  const made = async (url: string, object: JsonObject) => {
    const told = await plane.post(url, object);
    expect(told.code, told.message).toBe(201);
    return told.object;
  };
  await made('/api/v1/namespaces', named('Namespace', 'shop'));
  await made(`${NS}/serviceaccounts`, named('ServiceAccount', 'default'));
  await made(`${NS}/resourcequotas`, { ...named('ResourceQuota', 'q'), spec: { hard } });
  for (const one of classes) await made(CLASSES, one);
  const podMade = async (object: JsonObject) => {
    const { name, uid } = (await made(`${NS}/pods`, object))['metadata'] as JsonObject;
    return { name, uid };
  };
  return { ...plane, made, podMade };
}

const exceeded = (what: string, requested: number, used: number, limited: number) =>
  `exceeded quota: q, requested: ${what}=${String(requested)}, used: ${what}=${String(used)}, limited: ${what}=${String(limited)}`;

describe('ResourceQuota, of devices', () => {
  it('counts what pods ask for and what claims ask for as the same', async () => {
    const { post, made } = await shop({ [GPU]: '3' }, [deviceClass('gpu', 'example.com/gpu')]);
    await made(`${NS}/pods`, asking('a', 'example.com/gpu', 1));
    await made(CLAIMS, claim('a', 1));
    expect((await post(CLAIMS, claim('b', 2))).message).toBe(
      `resourceclaims.resource.k8s.io "b" is forbidden: ${exceeded(GPU, 2, 2, 3)}`,
    );
    expect((await post(`${NS}/pods`, asking('b', 'example.com/gpu', 2))).message).toBe(
      `pods "b" is forbidden: ${exceeded(GPU, 2, 2, 3)}`,
    );
    await made(`${NS}/pods`, asking('b', 'example.com/gpu', 1));
  });

  it('counts by what every class is called, too', async () => {
    const { post, made } = await shop({ [GPU_CLASS]: '3' }, [deviceClass('gpu')]);
    await made(`${NS}/pods`, asking('a', 'deviceclass.resource.kubernetes.io/gpu', 1));
    await made(CLAIMS, claim('a', 2));
    expect((await post(CLAIMS, claim('b', 1))).message).toContain(exceeded(GPU_CLASS, 1, 3, 3));
  });

  it('does not count again what the pod counts for which a claim was made', async () => {
    const { post, made, podMade } = await shop({ [GPU]: '2' }, [
      deviceClass('gpu', 'example.com/gpu'),
    ]);
    const owner = await podMade(asking('a', 'example.com/gpu', 1));
    expect((await post(CLAIMS, claim('more', 3, owner))).message).toContain(exceeded(GPU, 2, 1, 2));
    await made(CLAIMS, claim('own', 1, owner));
    // The pod has its claim: another one counts for itself.
    await made(CLAIMS, claim('second', 1, owner));
    expect((await post(CLAIMS, claim('third', 1, owner))).message).toContain(
      exceeded(GPU, 1, 2, 2),
    );
    const stranger = { ...owner, uid: 'another' };
    expect((await post(CLAIMS, claim('x', 1, stranger))).message).toContain(exceeded(GPU, 1, 2, 2));
  });

  it('begins to count claims when a class says what it stands for', async () => {
    const { post, put, del, made } = await shop({ [GPU]: '2' }, [deviceClass('gpu')]);
    await made(CLAIMS, claim('a', 2));
    await made(CLAIMS, claim('b', 2));
    const told = await put(`${CLASSES}/gpu`, deviceClass('gpu', 'example.com/gpu'));
    expect(told.code, told.message).toBe(200);
    expect((await post(CLAIMS, claim('c', 1))).message).toContain(exceeded(GPU, 1, 4, 2));
    await del(`${CLASSES}/gpu`);
    await made(CLAIMS, claim('c', 1));
  });

  it('decides again about a claim when a pod was first on another server', async () => {
    const { post, elsewhere } = await shop({ [GPU]: '1' }, [deviceClass('gpu', 'example.com/gpu')]);
    const mine = post(CLAIMS, claim('a', 1));
    await elsewhere('core/pods', 'shop/p', (object) => {
      const made = asking('p', 'example.com/gpu', 1);
      Object.assign(object, made, { metadata: { name: 'p', namespace: 'shop', uid: 'p' } });
      return 'added';
    });
    expect((await mine).message).toContain(exceeded(GPU, 1, 1, 1));
  });

  it('decides again about a pod when a claim was first on another server', async () => {
    const { post, elsewhere } = await shop({ [GPU]: '1' }, [deviceClass('gpu', 'example.com/gpu')]);
    const mine = post(`${NS}/pods`, asking('a', 'example.com/gpu', 1));
    await elsewhere('resource.k8s.io/resourceclaims', 'shop/c', (object) => {
      const made = claim('c', 1);
      Object.assign(object, made, { metadata: { name: 'c', namespace: 'shop', uid: 'c' } });
      return 'added';
    });
    expect((await mine).message).toContain(exceeded(GPU, 1, 1, 1));
  });

  it('decides again about a claim that was free when its pod has another one', async () => {
    const { post, elsewhere, podMade } = await shop({ [GPU]: '1' }, [
      deviceClass('gpu', 'example.com/gpu'),
    ]);
    const owner = await podMade(asking('a', 'example.com/gpu', 1));
    const mine = post(CLAIMS, claim('own', 1, owner));
    await elsewhere('core/pods', 'shop/a', (object) => {
      const status = { extendedResourceClaimStatus: { resourceClaimName: 'another' } };
      Object.assign(object, { status });
      return 'modified';
    });
    expect((await mine).message).toContain(exceeded(GPU, 1, 1, 1));
  });

  it('decides again about a claim that was free when another one was first', async () => {
    const { post, elsewhere, podMade } = await shop({ [GPU]: '1' }, [
      deviceClass('gpu', 'example.com/gpu'),
    ]);
    const owner = await podMade(asking('a', 'example.com/gpu', 1));
    const mine = post(CLAIMS, claim('own', 1, owner));
    await elsewhere('resource.k8s.io/resourceclaims', 'shop/c', (object) => {
      const { metadata, ...made } = claim('c', 1, owner);
      const creationTimestamp = '2020-01-01T00:00:00Z';
      const more = { namespace: 'shop', uid: 'c', creationTimestamp };
      Object.assign(object, made, { metadata: { ...(metadata as JsonObject), ...more } });
      return 'added';
    });
    expect((await mine).message).toContain(exceeded(GPU, 1, 1, 1));
  });

  it('decides again about a claim that was free when its class stands for more', async () => {
    const { post, elsewhere, podMade } = await shop({ [GPU_CLASS]: '9', [GPU]: '0' }, [
      deviceClass('gpu'),
    ]);
    const owner = await podMade(asking('a', 'deviceclass.resource.kubernetes.io/gpu', 1));
    const mine = post(CLAIMS, claim('own', 1, owner));
    await elsewhere('resource.k8s.io/deviceclasses', '/gpu', (object) => {
      Object.assign(object, { spec: { extendedResourceName: 'example.com/gpu' } });
      return 'modified';
    });
    expect((await mine).message).toContain(exceeded(GPU, 1, 0, 0));
  });

  it('decides again when a class was first, of which no claim was counted before', async () => {
    const { post, elsewhere, made } = await shop({ [GPU]: '1' }, [deviceClass('gpu')]);
    await made(CLAIMS, claim('a', 1));
    const named = (object: JsonObject) => {
      Object.assign(object, { spec: { extendedResourceName: 'example.com/gpu' } });
      return 'modified' as const;
    };
    const mine = post(CLAIMS, claim('b', 1));
    await elsewhere('resource.k8s.io/deviceclasses', '/gpu', named);
    expect((await mine).message).toContain(exceeded(GPU, 1, 1, 1));
  });

  it('ends at exactly the quota when pods and claims come at once', async () => {
    const { post, get } = await shop({ [GPU]: '7' }, [deviceClass('gpu', 'example.com/gpu')]);
    const told = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 2 === 0
          ? post(`${NS}/pods`, asking(`p${String(index)}`, 'example.com/gpu', 1))
          : post(CLAIMS, claim(`c${String(index)}`, 1)),
      ),
    );
    expect(told.filter(({ code }) => code === 201)).toHaveLength(7);
    expect(told.filter(({ code }) => code === 403)).toHaveLength(53);
    const [pods, claims] = [await get(`${NS}/pods`), await get(CLAIMS)];
    expect(pods.names.length + claims.names.length).toBe(7);
  });
});
