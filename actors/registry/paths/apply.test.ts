import { describe, expect, it } from 'vitest';

import { listAt, type JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { configMap, deployment, givenControlPlane, pod } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

function managers(object: KubeObject): string[] {
  return listAt(object.metadata, 'managedFields').map((entry) => {
    const { manager, operation, subresource } = entry as Record<string, string>;
    return [manager, operation, subresource].filter(Boolean).join(' ');
  });
}

describe('an apply', () => {
  it('makes what is not there, and then changes it', async () => {
    const { patch } = await givenControlPlane();
    const url = `${MAPS}/a?fieldManager=me`;
    const made = await patch(url, 'apply', configMap('a', { x: '1', y: '1' }));
    expect(made.code).toBe(201);
    expect(managers(made.object)).toEqual(['me Apply']);
    const changed = await patch(url, 'apply', configMap('a', { x: '2' }));
    expect(changed.code).toBe(200);
    expect(changed.object['data']).toEqual({ x: '2' });
  });

  it('leaves alone what others set, and what they manage too', async () => {
    const { patch } = await givenControlPlane();
    await patch(`${MAPS}/a?fieldManager=one`, 'apply', configMap('a', { x: '1', shared: 's' }));
    await patch(`${MAPS}/a?fieldManager=two`, 'apply', configMap('a', { y: '1', shared: 's' }));
    const { data: _, ...nothing } = configMap('a');
    const { object } = await patch(`${MAPS}/a?fieldManager=one`, 'apply', nothing);
    expect(object['data']).toEqual({ y: '1', shared: 's' });
    expect(managers(object)).toEqual(['two Apply']);
  });

  it('that changes nothing writes nothing, whatever the time is', async () => {
    const { patch, clock } = await givenControlPlane();
    const url = `${DEPLOYMENTS}/d?fieldManager=me`;
    const made = await patch(url, 'apply', deployment('d', 2));
    clock.advance(60_000);
    const again = await patch(url, 'apply', deployment('d', 2));
    expect(again.object).toEqual(made.object);
    const dry = await patch(`${url}&dryRun=All`, 'apply', deployment('d', 2));
    expect(dry.object).toEqual(made.object);
  });

  it('conflicts with the manager of a field, until it is forced', async () => {
    const { patch } = await givenControlPlane();
    await patch(`${DEPLOYMENTS}/d?fieldManager=one`, 'apply', deployment('d', 2));
    const url = `${DEPLOYMENTS}/d?fieldManager=two`;
    const refused = await patch(url, 'apply', deployment('d', 3));
    expect(refused).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    });
    expect(refused.status?.details).toEqual({
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.replicas' },
      ],
    });
    const forced = await patch(`${url}&force=true`, 'apply', deployment('d', 3));
    expect(forced.object['spec']).toMatchObject({ replicas: 3 });
    // The manager that lost it does not take it back by saying the same again.
    const one = await patch(`${DEPLOYMENTS}/d?fieldManager=one`, 'apply', deployment('d', 2));
    expect(one.code).toBe(409);
  });

  it('must name its manager', async () => {
    const { patch } = await givenControlPlane();
    expect(await patch(`${MAPS}/a`, 'apply', configMap('a'))).toMatchObject({
      code: 422,
      message:
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: ' +
        'is required for apply patch',
    });
  });

  it.each<[string, JsonObject, number, string]>([
    [
      'another kind',
      { ...configMap('a'), kind: 'Secret' },
      400,
      'invalid object type: /v1, Kind=Secret',
    ],
    ['no kind', { metadata: { name: 'a' } }, 400, 'invalid object type: /, Kind='],
    [
      'managers of its own',
      configMap('a', {}, { managedFields: [{ manager: 'x' }] }),
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'another name',
      configMap('b'),
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'another namespace',
      configMap('a', {}, { namespace: 'other' }),
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a field that is not known',
      { ...configMap('a'), foo: 1 },
      500,
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .foo: ' +
        'field not declared in schema',
    ],
    [
      'the uid of something',
      configMap('a', {}, { uid: 'u' }),
      409,
      'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object ' +
        'specified uid u, and no existing object was found',
    ],
  ])('with %s is refused', async (_, body, code, message) => {
    const { patch } = await givenControlPlane();
    const answer = await patch(`${MAPS}/a?fieldManager=me`, 'apply', body);
    expect(answer).toMatchObject({ code, message });
  });

  it('of what cannot be read by its type says for which object', async () => {
    const { patch } = await givenControlPlane();
    const body = { ...configMap('a'), binaryData: { b: '!' } };
    expect(await patch(`${MAPS}/a?fieldManager=me`, 'apply', body)).toMatchObject({
      code: 500,
      message:
        'failed to convert new object (/a; /v1, Kind=ConfigMap) to proper version: unable to convert ' +
        'unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data ' +
        'at input byte 0',
    });
  });

  it('may carry the version and the uid it is based on', async () => {
    const { patch, put } = await givenControlPlane();
    const url = `${MAPS}/a?fieldManager=me`;
    const { object } = await patch(url, 'apply', configMap('a', { x: '1' }));
    const { uid = '', resourceVersion = '' } = object.metadata;
    await put(`${MAPS}/a`, configMap('a', { x: '1', y: '2' }));
    const based = configMap('a', { x: '2' }, { resourceVersion });
    expect(await patch(url, 'apply', based)).toMatchObject({ code: 409, reason: 'Conflict' });
    expect((await patch(url, 'apply', configMap('a', { x: '2' }, { uid }))).code).toBe(200);
    const other = configMap('a', { x: '3' }, { uid: 'other' });
    expect(await patch(url, 'apply', other)).toMatchObject({ code: 422 });
  });

  it('of a status is of the status alone, and makes no object', async () => {
    const { patch, post } = await givenControlPlane();
    const body = { ...pod('p'), spec: {}, status: { phase: 'Running' } };
    const url = `${PODS}/p/status?fieldManager=kubelet`;
    expect(await patch(url, 'apply', body)).toMatchObject({ code: 404 });
    await post(`${PODS}?fieldManager=maker`, pod('p'));
    const { code, object } = await patch(url, 'apply', body);
    expect(code).toBe(200);
    expect(object['status']).toMatchObject({ phase: 'Running' });
    expect(managers(object)).toEqual(['kubelet Apply status', 'maker Update']);
  });

  it('of a scale takes the replicas', async () => {
    const { patch, get } = await givenControlPlane();
    await patch(`${DEPLOYMENTS}/d?fieldManager=one`, 'apply', deployment('d', 2));
    const scale = {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'd' },
      spec: { replicas: 5 },
    };
    const url = `${DEPLOYMENTS}/d/scale?fieldManager=two`;
    expect(await patch(url, 'apply', scale)).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    });
    const forced = await patch(`${url}&force=true`, 'apply', scale);
    expect(forced).toMatchObject({ code: 200, object: { spec: { replicas: 5 } } });
    const { object } = await get(`${DEPLOYMENTS}/d`);
    expect(object['spec']).toMatchObject({ replicas: 5 });
    expect(managers(object)).toEqual(['one Apply', 'two Apply scale']);
  });

  it('that was overtaken is tried again on what is there then', async () => {
    const { patch, elsewhere } = await givenControlPlane();
    const url = `${MAPS}/a?fieldManager=me`;
    await patch(url, 'apply', configMap('a', { x: '1' }));
    const mine = patch(url, 'apply', configMap('a', { x: '2' }));
    await elsewhere('core/configmaps', 'default/a', (object) => {
      object['data'] = { x: '1', theirs: 'y' };
      return undefined;
    });
    const { code, object } = await mine;
    expect(code).toBe(200);
    expect(object['data']).toEqual({ x: '2', theirs: 'y' });
  });

  it('of an object that was made by hand manages beside its maker', async () => {
    const { patch, post } = await givenControlPlane();
    await post(`${MAPS}?fieldManager=hand`, configMap('a', { x: '1' }));
    const { object } = await patch(
      `${MAPS}/a?fieldManager=me`,
      'apply',
      configMap('a', { y: '1' }),
    );
    expect(managers(object)).toEqual(['me Apply', 'hand Update']);
    expect(object['data']).toEqual({ x: '1', y: '1' });
  });

  it('is no patch that can be no configuration', async () => {
    const { send } = await givenControlPlane();
    const contentType = 'application/apply-patch+yaml';
    const url = `${MAPS}/a?fieldManager=me`;
    const answer = await send({ method: 'PATCH', url, text: '[1]', contentType });
    expect(answer).toMatchObject({
      code: 400,
      message:
        'error decoding YAML: error unmarshaling JSON: while decoding JSON: ' +
        'json: cannot unmarshal array into Go value of type map[string]interface {}',
    });
  });
});
