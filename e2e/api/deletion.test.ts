/**
 * Deleting on the wire, what else can be written beside an object, and what is left of a namespace
 * that ends.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, type JsonObject, textAt } from '../support/json.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import {
  configMap,
  created,
  deployment,
  expectFailure,
  expectObject,
  mapsIn,
  namesIn,
  newNamespace,
  pod,
  versionOf,
} from './objects.ts';

const server = serverForThisFile();
let client: AdminClient;
let namespace: string;
let maps: string;
beforeAll(async () => {
  client = adminClient(server());
  namespace = await newNamespace(client, 'deletions');
  maps = mapsIn(namespace);
});

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

describe('deleting', () => {
  it('answers with a Status that names what is gone, or with the object itself', async () => {
    const object = await created(client, maps, configMap('gone'));
    const uid = textAt(object, 'metadata', 'uid');
    expect(expectObject(await client.delete(`${maps}/gone`))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'gone', kind: 'configmaps', uid },
    });
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await created(client, pods, pod('unscheduled'));
    expect(expectObject(await client.delete(`${pods}/unscheduled`))).toMatchObject({ kind: 'Pod' });
    expectFailure(await client.get(`${pods}/unscheduled`), { code: 404, reason: 'NotFound' });
  });

  it('keeps to preconditions', async () => {
    const object = await created(client, maps, configMap('conditional'));
    const uid = textAt(object, 'metadata', 'uid');
    const remove = (preconditions: JsonObject) =>
      client.delete(`${maps}/conditional`, {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions,
      });
    expectFailure(await remove({ uid: 'another' }), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on ConfigMap "conditional": the UID in the precondition (another) ' +
        `does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    });
    expectFailure(await remove({ resourceVersion: '1' }), { code: 409, reason: 'Conflict' });
    expectObject(await remove({ uid, resourceVersion: versionOf(object) }));
  });

  it('waits for finalizers, and lets no client add one meanwhile', async () => {
    const finalizers = ['example.dev/one', 'example.dev/two'];
    await created(client, maps, configMap('held', {}, { finalizers }));
    const path = `${maps}/held`;
    const deleting = expectObject(await client.delete(path));
    expect(textAt(deleting, 'metadata', 'deletionTimestamp')).toMatch(TIME);
    expect(at(deleting, 'metadata', 'deletionGracePeriodSeconds')).toBe(0);
    // Once more changes nothing.
    expect(expectObject(await client.delete(path))).toEqual(deleting);
    const patch = (list: string[]) => client.patch(path, { metadata: { finalizers: list } });
    expectFailure(await patch([...finalizers, 'example.dev/three']), {
      code: 422,
      reason: 'Invalid',
      message:
        /metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted/,
    });
    expectObject(await patch(['example.dev/two']));
    expectObject(await client.get(path));
    expectObject(await patch([]));
    expectFailure(await client.get(path), { code: 404, reason: 'NotFound' });
  });

  it('leaves dependents to the garbage collector as it is told to', async () => {
    const removed = async (name: string, options: JsonObject) => {
      await created(client, maps, configMap(name));
      expectObject(await client.delete(`${maps}/${name}`, options));
      return client.get(`${maps}/${name}`);
    };
    const finalizersOf = async (name: string, options: JsonObject) =>
      at(expectObject(await removed(name, options)), 'metadata', 'finalizers');
    expect(await finalizersOf('fg', { propagationPolicy: 'Foreground' })).toEqual([
      'foregroundDeletion',
    ]);
    expect(await finalizersOf('orphan', { propagationPolicy: 'Orphan' })).toEqual(['orphan']);
    expect(await finalizersOf('old', { orphanDependents: true })).toEqual(['orphan']);
    const background = await removed('bg', { propagationPolicy: 'Background' });
    expectFailure(background, { code: 404, reason: 'NotFound' });
    await created(client, maps, configMap('by-query'));
    expectObject(await client.delete(`${maps}/by-query?propagationPolicy=Foreground`));
    expectObject(await client.get(`${maps}/by-query`));
    expectFailure(await client.delete(`${maps}/by-query`, { propagationPolicy: 'Never' }), {
      code: 422,
      reason: 'Invalid',
      message: /^DeleteOptions\.meta\.k8s\.io "" is invalid: propagationPolicy: Unsupported value/,
    });
  });

  it('deletes pods of a node gracefully, and at once when forced', async () => {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await created(
      client,
      pods,
      pod('graceful', { nodeName: 'node', terminationGracePeriodSeconds: 20 }),
    );
    const path = `${pods}/graceful`;
    const dying = expectObject(await client.delete(path));
    expect(at(dying, 'metadata', 'deletionGracePeriodSeconds')).toBe(20);
    expect(textAt(dying, 'metadata', 'deletionTimestamp')).toMatch(TIME);
    expect(at(dying, 'metadata', 'generation')).toBe(2);
    const sooner = expectObject(await client.delete(path, { gracePeriodSeconds: 5 }));
    expect(at(sooner, 'metadata', 'deletionGracePeriodSeconds')).toBe(5);
    const notLater = expectObject(await client.delete(path, { gracePeriodSeconds: 30 }));
    expect(notLater).toEqual(sooner);
    expectObject(await client.delete(path, { gracePeriodSeconds: 0 }));
    expectFailure(await client.get(path), { code: 404, reason: 'NotFound' });
  });

  it('tells of a pod that goes at once as it goes, and as it is gone', async () => {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const before = textAt(expectObject(await client.get(pods)), 'metadata', 'resourceVersion');
    const watch = await HttpWatch.open(client, `${pods}?resourceVersion=${before}`);
    await created(client, pods, pod('forced', { nodeName: 'node' }));
    const gone = expectObject(await client.delete(`${pods}/forced`, { gracePeriodSeconds: 0 }));
    await watch.until('its end', ({ type }) => type === 'DELETED');
    watch.close();
    const told = watch.received.filter(
      ({ object }) => textAt(object, 'metadata', 'name') === 'forced',
    );
    expect(told.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const [, marked, removed] = told.map(({ object }) => object);
    expect(textAt(marked ?? null, 'metadata', 'deletionTimestamp')).toMatch(TIME);
    expect(marked?.['metadata']).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
    expect(removed).toEqual(gone);
    expect(Number(versionOf(gone))).toBeGreaterThan(
      Number(textAt(marked ?? null, 'metadata', 'resourceVersion')),
    );
  });

  it('deletes collections by selectors, and only those', async () => {
    const here = mapsIn(await newNamespace(client));
    for (const [name, color] of Object.entries({ a: 'red', b: 'blue', c: 'red', d: 'green' })) {
      await created(client, here, configMap(name, {}, { labels: { color } }));
    }
    await created(
      client,
      here,
      configMap('e', {}, { labels: { color: 'red' }, finalizers: ['x.dev/y'] }),
    );
    const removed = expectObject(await client.delete(`${here}?labelSelector=color%3Dred`));
    expect(removed['kind']).toBe('ConfigMapList');
    expect(namesIn(removed)).toEqual(['a', 'c', 'e']);
    expect(namesIn(expectObject(await client.get(here)))).toEqual(['b', 'd', 'e']);
    expectObject(await client.delete(`${here}?fieldSelector=metadata.name%3Db`));
    expect(namesIn(expectObject(await client.get(here)))).toEqual(['d', 'e']);
    expectObject(await client.patch(`${here}/e`, { metadata: { finalizers: null } }));
    expectObject(await client.delete(here));
    expect(namesIn(expectObject(await client.get(here)))).toEqual([]);
  });
});

describe('subresources', () => {
  it('write the status apart from the spec, and the generation counts the spec alone', async () => {
    const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const path = `${apps}/with-status`;
    const sent = { ...deployment('with-status'), status: { replicas: 9 } };
    const object = await created(client, apps, sent);
    expect(at(object, 'status', 'replicas')).toBeUndefined();
    expect(at(object, 'metadata', 'generation')).toBe(1);

    const both = {
      ...object,
      spec: { ...(object['spec'] as JsonObject), replicas: 7 },
      status: { replicas: 5 },
    };
    const status = expectObject(await client.put(`${path}/status`, both));
    expect(status).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 5 },
      metadata: { generation: 1 },
    });
    expect(expectObject(await client.get(`${path}/status`))).toEqual(status);

    const main = expectObject(
      await client.patch(path, { spec: { replicas: 2 }, status: { replicas: 0 } }),
    );
    expect(main).toMatchObject({
      spec: { replicas: 2 },
      status: { replicas: 5 },
      metadata: { generation: 2 },
    });
    const labels = expectObject(await client.patch(path, { metadata: { labels: { a: 'b' } } }));
    expect(at(labels, 'metadata', 'generation')).toBe(2);
  });

  it('scale what has replicas', async () => {
    const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const path = `${apps}/scaled/scale`;
    const object = await created(client, apps, deployment('scaled', 2));
    const scale = expectObject(await client.get(path));
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'scaled', namespace, resourceVersion: versionOf(object) },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=scaled' },
    });
    const put = expectObject(await client.put(path, { ...scale, spec: { replicas: 4 } }));
    expect(put).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
    expectFailure(await client.put(path, { ...scale, spec: { replicas: 5 } }), {
      code: 409,
      reason: 'Conflict',
    });
    expectObject(await client.patch(path, { spec: { replicas: 6 } }));
    const after = expectObject(await client.get(`${apps}/scaled`));
    expect(after).toMatchObject({ spec: { replicas: 6 }, metadata: { generation: 3 } });
    expectFailure(await client.patch(path, { spec: { replicas: -1 } }), {
      code: 422,
      reason: 'Invalid',
    });
    expectFailure(await client.get(`${apps}/nonesuch/scale`), { code: 404, reason: 'NotFound' });
  });

  it('are 404 where a kind does not have them', async () => {
    await created(client, maps, configMap('plain'));
    for (const subresource of ['status', 'scale', 'nonesuch']) {
      expectFailure(await client.get(`${maps}/plain/${subresource}`), {
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        details: {},
      });
    }
  });
});

describe('namespaces', () => {
  it('terminate: nothing new comes in, and the last finalizer removes them', async () => {
    const name = await newNamespace(client, 'ending');
    const path = `/api/v1/namespaces/${name}`;
    const active = expectObject(await client.get(path));
    expect(active).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    await created(client, mapsIn(name), configMap('before'));
    const ending = expectObject(await client.delete(path));
    expect(ending).toMatchObject({ status: { phase: 'Terminating' } });
    expectFailure(await client.post(mapsIn(name), configMap('after')), {
      code: 403,
      reason: 'Forbidden',
      message:
        `configmaps "after" is forbidden: unable to create new content in namespace ${name} ` +
        'because it is being terminated',
      details: {
        name: 'after',
        kind: 'configmaps',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${name} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      },
    });
    // What is in it can still be changed and deleted.
    expectObject(await client.patch(`${mapsIn(name)}/before`, { data: { a: '2' } }));
    expectObject(await client.delete(`${mapsIn(name)}/before`));
    // An ordinary update does not touch the finalizers of the spec; `finalize` does.
    const { spec: _spec, ...bare } = ending;
    expect(expectObject(await client.put(path, bare))).toMatchObject({
      spec: { finalizers: ['kubernetes'] },
    });
    const done = { ...expectObject(await client.get(path)), spec: { finalizers: [] } };
    expectObject(await client.put(`${path}/finalize`, done));
    expectFailure(await client.get(path), {
      code: 404,
      reason: 'NotFound',
      message: `namespaces "${name}" not found`,
    });
  });

  it('are there from the first start on: those of the system', async () => {
    const names = namesIn(expectObject(await client.get('/api/v1/namespaces')));
    expect(names).toEqual(
      expect.arrayContaining(['default', 'kube-node-lease', 'kube-public', 'kube-system']),
    );
  });
});

it('answers 404 to what is not served and 405 to what cannot be done there', async () => {
  const notFound = {
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  };
  for (const path of [
    '/api/v2',
    '/api/v1/nonesuch',
    `/api/v1/namespaces/${namespace}/nonesuch/a`,
    '/apis/apps/v9/deployments',
    '/apis/apps/v1/configmaps',
  ]) {
    expectFailure(await client.get(path), notFound);
  }
  await created(client, maps, configMap('method'));
  const cases: [method: string, path: string][] = [
    ['PUT', maps],
    ['PATCH', maps],
    ['POST', `${maps}/method`],
    ['POST', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/namespaces'],
    ['DELETE', '/api/v1/configmaps'],
    ['OPTIONS', maps],
  ];
  for (const [method, path] of cases) {
    const sending = method === 'OPTIONS' ? {} : { body: {} };
    const answer = await client.send(method, path, sending);
    expect(`${method} ${path}: ${String(answer.status)}`).toBe(`${method} ${path}: 405`);
    expectFailure(answer, {
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
      details: {},
    });
  }
  expect((await client.send('HEAD', maps)).status).toBe(405);
});
