import { isJsonObject, objectAt } from '../../../api/json/json.ts';
import { parseJson } from '../../../api/json/json-text.ts';
import { describe, expect, it } from 'vitest';

import { configMap, deployment, givenControlPlane, pod } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MODIFIED =
  'Operation cannot be fulfilled on configmaps "a": the object has been modified; ' +
  'please apply your changes to the latest version and try again';

describe('an update', () => {
  it('replaces the object and keeps what only the server writes', async () => {
    const { post, put, applied, clock } = await givenControlPlane();
    const { object: made } = await post(MAPS, configMap('a', { k: '1' }));
    clock.advance(5_000);
    const lies = { creationTimestamp: '2020-01-01T00:00:00Z', selfLink: '/x' };
    const { code, object } = await put(`${MAPS}/a`, configMap('a', { k: '2' }, lies));
    expect(code).toBe(200);
    expect(object).toEqual({
      ...made,
      metadata: {
        ...made.metadata,
        resourceVersion: String(applied.current),
        managedFields: [
          expect.objectContaining({ manager: 'tests', time: '1970-01-01T00:00:05Z' }),
        ],
      },
      data: { k: '2' },
    });
  });

  it('that changes nothing keeps the version and writes nothing', async () => {
    const { post, put, applied } = await givenControlPlane();
    const { object: made } = await post(MAPS, configMap('a', { k: '1' }));
    const before = applied.current;
    const { object } = await put(`${MAPS}/a`, configMap('a', { k: '1' }));
    expect(object).toEqual(made);
    expect(applied.current).toBe(before);
  });

  it('may say its version in any way that is a number, and in no other', async () => {
    const { post, put } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const { resourceVersion = '' } = object.metadata;
    const based = configMap('a', { k: '1' }, { resourceVersion: `00${resourceVersion}` });
    expect((await put(`${MAPS}/a`, based)).code).toBe(200);
    for (const [version, why] of [
      ['abc', 'invalid syntax'],
      ['-1', 'invalid syntax'],
      ['9'.repeat(30), 'value out of range'],
      [String(2n ** 64n), 'value out of range'],
    ]) {
      const odd = configMap('a', { k: '2' }, { resourceVersion: version ?? '' });
      expect(await put(`${MAPS}/a`, odd)).toMatchObject({
        code: 500,
        message: `strconv.ParseUint: parsing "${version ?? ''}": ${why ?? ''}`,
      });
    }
    const greatest = configMap('a', { k: '2' }, { resourceVersion: String(2n ** 64n - 1n) });
    expect((await put(`${MAPS}/a`, greatest)).code).toBe(409);
  });

  it('is refused when it is based on another version', async () => {
    const { post, put } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const { resourceVersion = '' } = object.metadata;
    await put(`${MAPS}/a`, configMap('a', { k: '1' }, { resourceVersion }));
    const late = await put(`${MAPS}/a`, configMap('a', { k: '2' }, { resourceVersion }));
    expect(late).toMatchObject({ code: 409, reason: 'Conflict', message: MODIFIED });
    expect(late.status?.details).toEqual({ name: 'a', kind: 'configmaps' });
  });

  it('is 404 where there is nothing', async () => {
    const { put } = await givenControlPlane();
    expect(await put(`${MAPS}/a`, configMap('a'))).toMatchObject({
      code: 404,
      message: 'configmaps "a" not found',
    });
  });

  it('is refused for another uid', async () => {
    const { post, put } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const answer = await put(`${MAPS}/a`, configMap('a', {}, { uid: 'other' }));
    expect(answer.code).toBe(409);
    expect(answer.message).toContain(
      `UID in precondition: other, UID in object meta: ${object.metadata.uid ?? ''}`,
    );
    const same = configMap('a', { k: '1' }, { uid: object.metadata.uid ?? '' });
    expect((await put(`${MAPS}/a`, same)).code).toBe(200);
    expect((await put(`${MAPS}/a`, configMap('a', {}, { uid: '' }))).code).toBe(200);
  });

  it.each([
    [{ name: 'b' }, 'the name of the object (b) does not match the name on the URL (a)'],
    [
      { name: '' },
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
    [
      { name: 'b', namespace: 'kube-system' },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('of %j at another URL is refused', async (metadata, message) => {
    const { post, put } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const answer = await put(`${MAPS}/a`, configMap('a', {}, metadata));
    expect(answer).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  it('is validated against what was', async () => {
    const { post, put } = await givenControlPlane();
    await post(MAPS, { ...configMap('a', { k: '1' }), immutable: true });
    const answer = await put(`${MAPS}/a`, { ...configMap('a', { k: '2' }), immutable: true });
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(answer.message).toContain('field is immutable when `immutable` is set');
  });

  it('leaves nothing when it is a dry run', async () => {
    const { post, put, get, applied } = await givenControlPlane();
    const { object: made } = await post(MAPS, configMap('a', { k: '1' }));
    const before = applied.current;
    const dry = await put(`${MAPS}/a?dryRun=All`, configMap('a', { k: '2' }));
    expect(dry.object).toEqual({ ...made, data: { k: '2' } });
    expect(applied.current).toBe(before);
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ k: '1' });
  });

  it('counts a generation only for another spec, and leaves the status alone', async () => {
    const { post, put } = await givenControlPlane();
    const { object: made } = await post(DEPLOYMENTS, deployment('d', 1));
    const same = await put(`${DEPLOYMENTS}/d`, {
      ...deployment('d', 1),
      metadata: { name: 'd', labels: { a: 'b' }, generation: 9 },
      status: { replicas: 7 },
    });
    expect(same.object.metadata.generation).toBe(made.metadata.generation);
    expect(same.object['status']).toEqual(made['status']);
    const { object } = await put(`${DEPLOYMENTS}/d`, deployment('d', 2));
    expect(object.metadata.generation).toBe(Number(made.metadata.generation) + 1);
  });

  it('of the status leaves the spec alone', async () => {
    const { post, put } = await givenControlPlane();
    await post(DEPLOYMENTS, deployment('d', 1));
    const { code, object } = await put(`${DEPLOYMENTS}/d/status`, {
      ...deployment('d', 5),
      status: { replicas: 1, updatedReplicas: 1 },
    });
    expect(code).toBe(200);
    expect(object['spec']).toMatchObject({ replicas: 1 });
    expect(object['status']).toMatchObject({ replicas: 1, updatedReplicas: 1 });
  });
});

describe('two clients that update one object', () => {
  it('take turns when neither says what it is based on', async () => {
    const { post, put, get } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const both = await Promise.all([
      put(`${MAPS}/a`, configMap('a', { by: 'one' })),
      put(`${MAPS}/a`, configMap('a', { by: 'two' })),
    ]);
    expect(both.map(({ code }) => code)).toEqual([200, 200]);
    expect((await get(`${MAPS}/a`)).object['data']).toEqual({ by: 'two' });
  });

  it('are told which was late when both say the same', async () => {
    const { post, put } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const { resourceVersion = '' } = object.metadata;
    const both = await Promise.all(
      ['one', 'two', 'three'].map((by) =>
        put(`${MAPS}/a`, configMap('a', { by }, { resourceVersion })),
      ),
    );
    expect(both.map(({ code }) => code)).toEqual([200, 409, 409]);
  });

  it('on different servers: the unconditional one begins again', async () => {
    const { post, put, elsewhere } = await givenControlPlane();
    const { object: made } = await post(MAPS, configMap('a'));
    const mine = put(`${MAPS}/a`, configMap('a', { by: 'me' }));
    await elsewhere('core/configmaps', 'default/a', (object) => {
      object['data'] = { by: 'elsewhere' };
      object.metadata.finalizers = ['example.com/f'];
      return undefined;
    });
    const { code, object } = await mine;
    expect([code, object['data']]).toEqual([200, { by: 'me' }]);
    expect(Number(object.metadata.resourceVersion)).toBe(Number(made.metadata.resourceVersion) + 3);
  });

  it('on different servers: the conditional one is refused', async () => {
    const { post, put, elsewhere } = await givenControlPlane();
    const { object } = await post(MAPS, configMap('a'));
    const { resourceVersion = '' } = object.metadata;
    const mine = put(`${MAPS}/a`, configMap('a', { by: 'me' }, { resourceVersion }));
    await elsewhere('core/configmaps', 'default/a', (there) => {
      there['data'] = { by: 'elsewhere' };
      return undefined;
    });
    expect(await mine).toMatchObject({ code: 409, message: MODIFIED });
  });

  it('on different servers: nothing is left to update when it was deleted', async () => {
    const { post, put, elsewhere } = await givenControlPlane();
    await post(MAPS, configMap('a'));
    const mine = put(`${MAPS}/a`, configMap('a', { by: 'me' }));
    await elsewhere('core/configmaps', 'default/a', () => 'deleted');
    expect(await mine).toMatchObject({ code: 404, message: 'configmaps "a" not found' });
  });

  it('on different servers: each attempt begins from what the client sent', async () => {
    const { post, put, elsewhere } = await givenControlPlane();
    await post(DEPLOYMENTS, deployment('d', 1));
    const mine = put(`${DEPLOYMENTS}/d`, deployment('d', 2));
    await elsewhere('apps/deployments', 'default/d', (object) => {
      object.metadata.generation = 7;
      return undefined;
    });
    expect((await mine).object.metadata.generation).toBe(8);
  });
});

describe('a PUT where nothing is', () => {
  const lease = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata: { name: 'l' } };

  it('creates where the kind allows it', async () => {
    const { put, get } = await givenControlPlane();
    const { code, object } = await put(`${LEASES}/l`, lease);
    expect(code).toBe(201);
    expect(object.metadata.uid).toMatch(/^uuid-/);
    expect((await get(`${LEASES}/l`)).object).toEqual(object);
    expect((await put(`${LEASES}/l`, { ...lease, spec: { holderIdentity: 'me' } })).code).toBe(422);
  });

  it('creates in a namespace that is there', async () => {
    const { put } = await givenControlPlane();
    const url = LEASES.replace('default', 'nowhere');
    expect(await put(`${url}/l`, lease)).toMatchObject({
      code: 404,
      message: 'namespaces "nowhere" not found',
    });
  });

  it('creates whatever version the client says it is based on', async () => {
    const { put } = await givenControlPlane();
    const metadata = { name: 'l', resourceVersion: '5' };
    expect((await put(`${LEASES}/l`, { ...lease, metadata })).code).toBe(201);
  });

  it('is refused for a uid, which only something that is there can have', async () => {
    const { put } = await givenControlPlane();
    const answer = await put(`${LEASES}/l`, { ...lease, metadata: { name: 'l', uid: 'u' } });
    expect(answer.code).toBe(409);
    expect(answer.message).toContain('UID in precondition: u, UID in object meta: ');
  });

  it('leaves nothing when it is a dry run', async () => {
    const { put, get } = await givenControlPlane();
    expect((await put(`${LEASES}/l?dryRun=All`, lease)).code).toBe(201);
    expect((await get(`${LEASES}/l`)).code).toBe(404);
  });

  it('must say a version where an update must, and says so of the resource', async () => {
    const { put } = await givenControlPlane();
    await put(`${LEASES}/l`, lease);
    const answer = await put(`${LEASES}/l`, lease);
    expect(answer.message).toBe(
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: ' +
        'Invalid value: 0: must be specified for an update',
    );
  });
});

describe('an update of what is going away', () => {
  const FINALIZER = 'example.com/f';

  it('that takes the last finalizer removes it', async () => {
    const { post, put, del, get } = await givenControlPlane();
    await post(MAPS, configMap('a', {}, { finalizers: [FINALIZER, 'example.com/g'] }));
    await del(`${MAPS}/a`);
    await put(`${MAPS}/a`, configMap('a', {}, { finalizers: [FINALIZER] }));
    expect((await get(`${MAPS}/a`)).code).toBe(200);
    const last = await put(`${MAPS}/a`, configMap('a', { last: 'words' }));
    expect(last).toMatchObject({ code: 200, object: { data: { last: 'words' } } });
    expect((await get(`${MAPS}/a`)).code).toBe(404);
  });

  it('that takes the last finalizer is seen by its client alone: what goes, goes as it was', async () => {
    const { post, put, del, log, applied } = await givenControlPlane();
    const labels = { app: 'x' };
    await post(MAPS, configMap('a', {}, { labels, finalizers: [FINALIZER] }));
    const { object: before } = await del(`${MAPS}/a`);
    await put(`${MAPS}/a`, configMap('a', { last: 'words' }, { labels: { app: 'y' } }));
    const gone = log.at(applied.current);
    const { resourceVersion: _, ...metadata } = before.metadata;
    expect(gone?.type).toBe('deleted');
    expect(JSON.parse(String(gone?.json))).toEqual({ ...before, metadata });
  });

  it('that takes the last finalizer and the labels of a job shows it without those of its pods', async () => {
    const { post, put, del, get } = await givenControlPlane();
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const spec = {
      template: { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } },
    };
    const job = { kind: 'Job', apiVersion: 'batch/v1', spec };
    const held = { ...job, metadata: { name: 'j', finalizers: [FINALIZER] } };
    await post(jobs, held);
    await del(`${jobs}/j?propagationPolicy=Background`);
    const ofPods = { 'batch.kubernetes.io/job-name': 'j' };
    expect((await put(`${jobs}/j/status`, held)).object.metadata.labels).toMatchObject(ofPods);
    const last = await put(`${jobs}/j/status`, { ...job, metadata: { name: 'j' } });
    // Its bytes: what reads them gives them their defaults.
    const text = last.answer.kind === 'Value' ? String(last.answer.json) : '';
    const shown = parseJson(text);
    const labels = isJsonObject(shown) ? objectAt(objectAt(shown, 'metadata'), 'labels') : {};
    expect([last.code, labels]).toEqual([200, undefined]);
    expect((await get(`${jobs}/j`)).code).toBe(404);
  });

  it('cannot call it back, nor add a finalizer', async () => {
    const { post, put, del } = await givenControlPlane();
    await post(MAPS, configMap('a', {}, { finalizers: [FINALIZER] }));
    const { object: going } = await del(`${MAPS}/a`);
    const again = await put(`${MAPS}/a`, configMap('a', {}, { finalizers: [FINALIZER] }));
    expect(again.object.metadata.deletionTimestamp).toBe(going.metadata.deletionTimestamp);
    const finalizers = [FINALIZER, 'example.com/new'];
    const more = await put(`${MAPS}/a`, configMap('a', {}, { finalizers }));
    expect(more.code).toBe(422);
    expect(more.message).toContain('no new finalizers can be added');
  });

  it('does not remove it while it has time left', async () => {
    const { post, put, del, get } = await givenControlPlane();
    const pods = '/api/v1/namespaces/default/pods';
    const scheduled = pod('p', { nodeName: 'n' }, { finalizers: [FINALIZER] });
    const { object } = await post(pods, scheduled);
    await del(`${pods}/p?gracePeriodSeconds=30`);
    const { metadata, spec } = (await get(`${pods}/p`)).object;
    const freed = { ...object, metadata: { ...metadata, finalizers: [] }, spec: spec ?? {} };
    expect((await put(`${pods}/p`, freed)).code).toBe(200);
    expect((await get(`${pods}/p`)).code).toBe(200);
  });
});

describe('owners that are named twice', () => {
  it('are named once, with a warning', async () => {
    const { post } = await givenControlPlane();
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    const other = { ...owner, name: 'q' };
    const ownerReferences = [owner, other, owner];
    const { object, warnings } = await post(MAPS, configMap('a', {}, { ownerReferences }));
    expect(object.metadata.ownerReferences).toEqual([owner, other]);
    expect(warnings).toEqual([
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references ' +
        'in 1.20+, and may reject such requests as early as 1.24; please fix your requests; ' +
        'duplicate UID(s) observed: u',
    ]);
  });
});
