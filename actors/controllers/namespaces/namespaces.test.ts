import { afterEach, describe, expect, it } from 'vitest';
import { objectAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { configMap, deployment, pod } from '../../registry/given-registry.fixture.ts';
import { objectsAt } from '../../../api/kinds/rules/value-validation.ts';
import type { Controller } from '../controller-parts.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { defaultServiceAccount, rootAuthority } from './default-objects.ts';
import { startEnsuring } from './ensured-objects.ts';
import { startNamespaceDeletion } from './namespace-deletion.ts';

const NAMESPACES = '/api/v1/namespaces';
const SHOP = `${NAMESPACES}/shop`;

const running: Controller[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

async function given() {
  const plane = await givenControllers();
  const made = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'shop' } };
  expect((await plane.post(NAMESPACES, made)).code).toBe(201);
  return plane;
}

function verdicts(namespace: KubeObject | undefined): Record<string, JsonObject> {
  const conditions = objectsAt(objectAt(namespace, 'status'), 'conditions');
  return Object.fromEntries(conditions.map((one) => [stringAt(one, 'type'), one]));
}

describe('a namespace that is deleted', () => {
  it('goes with everything in it, and with nothing else', async () => {
    const { started, post, del, find, until, problems } = await given();
    running.push(await started(startNamespaceDeletion));
    await post(`${SHOP}/configmaps`, configMap('one'));
    await post(`${SHOP}/pods`, pod('web'));
    await post('/apis/apps/v1/namespaces/shop/deployments', deployment('web', 1));
    await post('/api/v1/namespaces/default/configmaps', configMap('mine'));
    await del(SHOP);
    await until('it has gone', async () => (await find(SHOP)) === undefined);
    expect(await find(`${SHOP}/configmaps/one`)).toBeUndefined();
    expect(await find('/api/v1/namespaces/default/configmaps/mine')).toBeDefined();
    expect(problems).toEqual([]);
  });

  it('says what it waits for, and goes when that has gone', async () => {
    const { started, post, del, patch, find, until } = await given();
    running.push(await started(startNamespaceDeletion));
    await post(`${SHOP}/configmaps`, configMap('held', {}, { finalizers: ['example.com/hold'] }));
    await del(SHOP);
    const said = async () => verdicts(await find(SHOP));
    await until(
      'it says so',
      async () => (await said())['NamespaceContentRemaining'] !== undefined,
    );
    expect((await said())['NamespaceContentRemaining']).toMatchObject({
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: configmaps. has 1 resource instances',
    });
    expect((await said())['NamespaceFinalizersRemaining']).toMatchObject({
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message:
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    });
    expect((await said())['NamespaceDeletionDiscoveryFailure']).toMatchObject({
      status: 'False',
      reason: 'ResourcesDiscovered',
    });
    await patch(`${SHOP}/configmaps/held`, 'merge', { metadata: { finalizers: null } });
    await until('it has gone', async () => (await find(SHOP)) === undefined);
  });

  it('keeps what pods may use as long as there are pods', async () => {
    const { started, post, del, find, until } = await given();
    running.push(await started(startNamespaceDeletion));
    await post(`${SHOP}/pods`, pod('web', { nodeName: 'n' }));
    await post(`${SHOP}/configmaps`, configMap('used'));
    await del(SHOP);
    await until('the pod is going', async () => {
      return (await find(`${SHOP}/pods/web`))?.metadata.deletionTimestamp !== undefined;
    });
    await until('it says how far it is', async () => {
      return verdicts(await find(SHOP))['NamespaceDeletionContentFailure'] !== undefined;
    });
    expect(await find(`${SHOP}/configmaps/used`)).toBeDefined();
    const atOnce = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 };
    await del(`${SHOP}/pods/web`, atOnce);
    await until('it has gone', async () => (await find(SHOP)) === undefined);
  });

  it('keeps finalizers of others', async () => {
    const { started, put, del, find, get, until } = await given();
    running.push(await started(startNamespaceDeletion));
    const { object } = await get(SHOP);
    const spec = { finalizers: ['kubernetes', 'example.com/mine'] };
    expect((await put(`${SHOP}/finalize`, { ...object, spec })).code).toBe(200);
    await del(SHOP);
    await until('ours is off', async () => {
      const found = (await find(SHOP)) as JsonObject | undefined;
      return JSON.stringify(objectAt(found, 'spec')) === '{"finalizers":["example.com/mine"]}';
    });
  });

  it('is emptied too when it was deleted before the controller looked', async () => {
    const { started, post, del, find, until } = await given();
    await post(`${SHOP}/configmaps`, configMap('one'));
    await del(SHOP);
    running.push(await started(startNamespaceDeletion));
    await until('it has gone', async () => (await find(SHOP)) === undefined);
  });
});

describe('what every namespace has', () => {
  it('is a service account, made again when it is deleted', async () => {
    const { started, del, find, until } = await given();
    running.push(await started((parts) => startEnsuring(parts, defaultServiceAccount)));
    const path = `${SHOP}/serviceaccounts/default`;
    await until('it is there', async () => (await find(path)) !== undefined);
    const { uid } = (await find(path))?.metadata ?? {};
    await del(path);
    await until('there is another', async () => {
      const found = await find(path);
      return found !== undefined && found.metadata.uid !== uid;
    });
  });

  it('is the authority, and what a user has written there is put right', async () => {
    const { started, patch, find, until } = await given();
    running.push(await started((parts) => startEnsuring(parts, rootAuthority('PEM'))));
    const path = `${SHOP}/configmaps/kube-root-ca.crt`;
    await until('it is there', async () => (await find(path)) !== undefined);
    await patch(path, 'merge', { data: { 'ca.crt': 'other', more: 'x' } });
    await until('it is right again', async () => {
      return JSON.stringify((await find(path))?.['data']) === '{"ca.crt":"PEM"}';
    });
  });
});
