import { describe, expect, it } from 'vitest';

import { deployment, givenControlPlane, type ControlPlane } from '../given-registry.fixture.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const SCALE = `${DEPLOYMENTS}/d/scale`;

async function givenDeployment(): Promise<ControlPlane> {
  const plane = await givenControlPlane();
  await plane.post(DEPLOYMENTS, deployment('d', 2));
  return plane;
}

function scale(replicas: number, metadata: object = {}) {
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'd', namespace: 'default', ...metadata },
    spec: { replicas },
  };
}

describe('the scale of an object', () => {
  it.each([
    [DEPLOYMENTS, deployment('d', 2)],
    [
      '/apis/apps/v1/namespaces/default/statefulsets',
      { ...deployment('d', 2), kind: 'StatefulSet' },
    ],
  ])('is written down as it was sent: %s', async (url, object) => {
    const { post, send } = await givenControlPlane();
    expect((await post(url, object)).code).toBe(201);
    const requested: unknown[] = [];
    const sent = { method: 'PUT', url: `${url}/d/scale`, body: scale(5) };
    const { code } = await send({
      ...sent,
      requested: (one) => requested.push(structuredClone(one)),
    });
    expect(code).toBe(200);
    expect(requested).toEqual([{ ...scale(5), status: { replicas: 0 } }]);
  });

  it('shows how many are wanted, and of what', async () => {
    const { get } = await givenDeployment();
    const { object: whole } = await get(`${DEPLOYMENTS}/d`);
    const { uid, resourceVersion, creationTimestamp } = whole.metadata;
    expect((await get(SCALE)).object).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'd', namespace: 'default', uid, resourceVersion, creationTimestamp },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=d' },
    });
  });

  it('sets how many are wanted, and is a new generation', async () => {
    const { get, put } = await givenDeployment();
    const { code, object } = await put(SCALE, scale(5));
    expect([code, object.kind, object['spec']]).toEqual([200, 'Scale', { replicas: 5 }]);
    const { object: whole } = await get(`${DEPLOYMENTS}/d`);
    expect(whole['spec']).toMatchObject({ replicas: 5, selector: { matchLabels: { app: 'd' } } });
    expect(whole.metadata.generation).toBe(2);
  });

  it('can be patched', async () => {
    const { get, patch } = await givenDeployment();
    const { code, object } = await patch(SCALE, 'merge', { spec: { replicas: 3 } });
    expect([code, object['spec']]).toEqual([200, { replicas: 3 }]);
    const operations = [{ op: 'replace', path: '/spec/replicas', value: 4 }];
    expect((await patch(SCALE, 'json', operations)).object['spec']).toEqual({ replicas: 4 });
    expect((await get(`${DEPLOYMENTS}/d`)).object['spec']).toMatchObject({ replicas: 4 });
    expect((await patch(SCALE, 'json', [{ op: 'test', path: '/x', value: 1 }])).code).toBe(422);
  });

  it('says which of its fields are not known', async () => {
    const { put } = await givenDeployment();
    const strange = { ...scale(3), foo: 1 };
    expect((await put(SCALE, strange)).warnings).toEqual(['unknown field "foo"']);
    expect(await put(`${SCALE}?fieldValidation=Strict`, strange)).toMatchObject({
      code: 400,
      message:
        'Scale in version "v1" cannot be handled as a Scale: ' +
        'strict decoding error: unknown field "foo"',
    });
  });

  it('leaves nothing when it is a dry run', async () => {
    const { get, put } = await givenDeployment();
    expect((await put(`${SCALE}?dryRun=All`, scale(5))).object).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 5 },
    });
    expect((await get(SCALE)).object['spec']).toEqual({ replicas: 2 });
  });

  it('that changes nothing keeps the version', async () => {
    const { get, put } = await givenDeployment();
    // As upstream has it, the first two still change the manager of the replicas.
    await put(SCALE, scale(2));
    await put(SCALE, scale(2));
    const { object: before } = await get(SCALE);
    expect((await put(SCALE, scale(2))).object).toEqual(before);
  });

  it('may be based on a version', async () => {
    const { get, put } = await givenDeployment();
    const { resourceVersion } = (await get(SCALE)).object.metadata;
    expect((await put(SCALE, scale(3, { resourceVersion }))).code).toBe(200);
    const late = await put(SCALE, scale(4, { resourceVersion }));
    expect(late).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('of what another server changes meanwhile is set all the same', async () => {
    const { patch, get, elsewhere } = await givenDeployment();
    const mine = patch(SCALE, 'merge', { spec: { replicas: 3 } });
    await elsewhere('apps/deployments', 'default/d', (object) => {
      object.metadata.labels = { a: 'b' };
      return undefined;
    });
    expect((await mine).code).toBe(200);
    const { object } = await get(`${DEPLOYMENTS}/d`);
    expect(object.metadata.labels).toEqual({ a: 'b' });
    expect(object['spec']).toMatchObject({ replicas: 3 });
  });

  it('is refused where it makes no sense', async () => {
    const { put, get, patch } = await givenDeployment();
    expect((await put(SCALE, scale(-1))).code).toBe(422);
    expect((await put(SCALE, { ...scale(1), spec: { replicas: 'many' } })).code).toBe(400);
    // What is no scale at all must not be taken for a scale of nothing.
    expect((await put(SCALE, 'x')).code).toBe(400);
    expect(await put(SCALE, deployment('d', 1))).toMatchObject({
      code: 400,
      message:
        'Deployment in version "v1" cannot be handled as a Scale: ' +
        'converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
    });
    expect((await patch(SCALE, 'merge', { spec: 'x' })).code).toBe(422);
    expect((await put(SCALE, scale(1, { name: 'e' }))).code).toBe(400);
    expect((await put(SCALE, scale(1, { uid: 'other' }))).code).toBe(409);
    expect((await get(SCALE)).object['spec']).toEqual({ replicas: 2 });
    expect((await put(SCALE.replace('/d/', '/e/'), scale(1, { name: 'e' }))).code).toBe(404);
    // The Scale is placed before its object is looked for.
    expect((await put(SCALE.replace('/d/', '/e/'), scale(1))).code).toBe(400);
    expect((await put(SCALE.replace('/d/', '/e/'), scale(1, { name: '' }))).code).toBe(400);
    expect((await get(SCALE.replace('/d/', '/e/'))).code).toBe(404);
    expect((await patch(SCALE, 'merge', { spec: { replicas: -1 } })).code).toBe(422);
    expect((await get('/api/v1/namespaces/default/configmaps/c/scale')).code).toBe(404);
  });
});
