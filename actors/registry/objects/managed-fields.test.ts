import { describe, expect, it } from 'vitest';

import { listAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { configMap, deployment, givenControlPlane, pod } from '../given-registry.fixture.ts';
import { managerOf } from './managed-fields.ts';
import type { ManagedWrite } from './managed-fields.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const SCALERS = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';

interface Entry extends JsonObject {
  manager: string;
  operation: string;
  subresource?: string;
  fieldsV1: JsonObject;
}

function entries(object: KubeObject): Entry[] {
  return listAt(object.metadata, 'managedFields') as Entry[];
}

/** `manager operation [subresource]` of each. */
function managers(object: KubeObject): string[] {
  return entries(object).map(({ manager, operation, subresource }) =>
    [manager, operation, ...(subresource === undefined ? [] : [subresource])].join(' '),
  );
}

function fieldsOf(object: KubeObject, manager: string): JsonValue | undefined {
  return entries(object).find((entry) => entry.manager === manager)?.fieldsV1;
}

describe('the manager of a write', () => {
  it('is entered when an object is made, by the name of the client or the one it says', async () => {
    const { post, send, clock } = await givenControlPlane();
    const mine = await post(
      `${MAPS}?fieldManager=me`,
      configMap('a', { x: '1' }, { labels: { l: 'v' } }),
    );
    expect(entries(mine.object)).toEqual([
      {
        manager: 'me',
        operation: 'Update',
        apiVersion: 'v1',
        time: new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:data': { '.': {}, 'f:x': {} },
          'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
        },
      },
    ]);
    const body = configMap('b', { x: '1' });
    const sent = { method: 'POST', url: MAPS, body, userAgent: 'kubectl/v1.36.3 (linux/amd64)' };
    expect(managers((await send(sent)).object)).toEqual(['kubectl Update']);
    const nobody = { ...sent, body: configMap('c', { x: '1' }), userAgent: '' };
    expect(managers((await send(nobody)).object)).toEqual(['unknown Update']);
  });

  it('manages what is filled in for him', async () => {
    const { post } = await givenControlPlane();
    const { object } = await post(`${DEPLOYMENTS}?fieldManager=me`, deployment('d', 1));
    expect(fieldsOf(object, 'me')).toMatchObject({
      'f:spec': { 'f:strategy': { 'f:type': {}, 'f:rollingUpdate': {} }, 'f:replicas': {} },
    });
    expect(managers(object)).toEqual(['me Update']);
  });

  it('takes what it changes from the manager that had it', async () => {
    const { post, put, patch, get } = await givenControlPlane();
    await post(`${MAPS}?fieldManager=one`, configMap('a', { x: '1', y: '1' }));
    await put(`${MAPS}/a?fieldManager=two`, configMap('a', { x: '2', y: '1' }));
    await patch(`${MAPS}/a?fieldManager=three`, 'merge', { data: { z: '3' } });
    await patch(`${MAPS}/a?fieldManager=four`, 'json', [
      { op: 'add', path: '/data/w', value: '4' },
    ]);
    await patch(`${MAPS}/a?fieldManager=five`, 'strategic-merge', { data: { v: '5', y: null } });
    const { object } = await get(`${MAPS}/a`);
    const owned = ['one', 'two', 'three', 'four', 'five'].map((name) => fieldsOf(object, name));
    expect(owned).toEqual([
      { 'f:data': {} },
      { 'f:data': { 'f:x': {} } },
      { 'f:data': { 'f:z': {} } },
      { 'f:data': { 'f:w': {} } },
      { 'f:data': { 'f:v': {} } },
    ]);
  });

  it('does not come to manage what he only repeats, and writes nothing', async () => {
    const { post, put, clock } = await givenControlPlane();
    const made = await post(`${MAPS}?fieldManager=one`, configMap('a', { x: '1' }));
    clock.advance(60_000);
    const again = await put(`${MAPS}/a?fieldManager=two`, configMap('a', { x: '1' }));
    expect(again.object).toEqual(made.object);
  });

  it('through a subresource is told apart, and manages nothing that it does not write', async () => {
    const { post, patch } = await givenControlPlane();
    await post(`${PODS}?fieldManager=maker`, pod('p'));
    const status = { phase: 'Running', podIP: '10.0.0.1' };
    const patched = await patch(`${PODS}/p/status?fieldManager=kubelet`, 'merge', {
      metadata: { labels: { a: 'b' } },
      spec: { priority: 5 },
      status,
    });
    expect(patched.code).toBe(200);
    expect(managers(patched.object)).toEqual(['kubelet Update status', 'maker Update']);
    expect(fieldsOf(patched.object, 'kubelet')).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
      'f:status': {
        'f:phase': {},
        'f:podIP': {},
        'f:podIPs': { '.': {}, 'k:{"ip":"10.0.0.1"}': { '.': {}, 'f:ip': {} } },
      },
    });
  });

  it('of a status through the resource itself manages none of it', async () => {
    const { post } = await givenControlPlane();
    const body = { ...deployment('d', 1), status: { replicas: 3 } };
    const { object } = await post(`${DEPLOYMENTS}?fieldManager=me`, body);
    expect(fieldsOf(object, 'me')).not.toHaveProperty('f:status');
  });

  it('is not the client that evicts, binds or deletes', async () => {
    const { post, del, get } = await givenControlPlane();
    await post(`${MAPS}?fieldManager=one`, configMap('a', {}, { finalizers: ['x.io/y'] }));
    await del(`${MAPS}/a`);
    expect(managers((await get(`${MAPS}/a`)).object)).toEqual(['one Update']);
  });
});

describe('managedFields', () => {
  it.each<[string, JsonValue]>([
    ['merge', { metadata: { managedFields: [] } }],
    ['merge', { metadata: { managedFields: [{}] } }],
    ['json', [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]],
    ['json', [{ op: 'replace', path: '/metadata/managedFields', value: [] }]],
  ])('are cleared by a %s patch: %j', async (type, body) => {
    const { post, patch, put } = await givenControlPlane();
    await post(`${MAPS}?fieldManager=one`, configMap('a', { x: '1' }));
    const cleared = await patch(`${MAPS}/a`, type as 'merge' | 'json', body);
    expect(cleared.code).toBe(200);
    expect(cleared.object.metadata).not.toHaveProperty('managedFields');
    // An object without managers stays so.
    const changed = await put(`${MAPS}/a`, configMap('a', { x: '2' }));
    expect(changed.object.metadata).not.toHaveProperty('managedFields');
  });

  it('may be written by hand, and stay when they are left out or wrong', async () => {
    const { post, put } = await givenControlPlane();
    const made = await post(`${MAPS}?fieldManager=one`, configMap('a', { x: '1' }));
    const left = await put(`${MAPS}/a?fieldManager=one`, configMap('a', { x: '1' }));
    expect(left.object).toEqual(made.object);
    const wrong = [{ manager: 'odd', operation: 'Nonesuch', apiVersion: 'v1' }];
    const kept = await put(`${MAPS}/a`, configMap('a', { x: '1' }, { managedFields: wrong }));
    expect(kept.object).toEqual(made.object);
    const [entry] = entries(made.object);
    const renamed = [{ ...entry, manager: 'other' }];
    const given = await put(`${MAPS}/a`, configMap('a', { x: '1' }, { managedFields: renamed }));
    expect(managers(given.object)).toEqual(['other Update']);
  });

  it('are shown by a dry run, and not kept', async () => {
    const { post, put, get } = await givenControlPlane();
    await post(`${MAPS}?fieldManager=one`, configMap('a', { x: '1' }));
    const dry = await put(`${MAPS}/a?fieldManager=two&dryRun=All`, configMap('a', { x: '2' }));
    expect(managers(dry.object)).toEqual(['one Update', 'two Update']);
    expect(managers((await get(`${MAPS}/a`)).object)).toEqual(['one Update']);
  });

  it('are left out where they would make the object too large', async () => {
    const { post, patch } = await givenControlPlane();
    const keys = Array.from({ length: 6_400 }, (_, index) => [
      String(index).padStart(250, '0'),
      '',
    ]);
    const data = Object.fromEntries(keys) as Record<string, string>;
    const made = await post(MAPS, configMap('a', data));
    expect(made.code).toBe(201);
    expect(made.object.metadata).not.toHaveProperty('managedFields');
    const applied = await patch(`${MAPS}/b?fieldManager=me`, 'apply', configMap('b', data));
    expect(applied).toMatchObject({ code: 413 });
  });

  it('speak the version that was written in', async () => {
    const { post, patch, get } = await givenControlPlane();
    const scaler = {
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'h' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      },
    };
    expect(await post(`${SCALERS}?fieldManager=one`, scaler)).toMatchObject({
      message: '',
      code: 201,
    });
    const url = SCALERS.replace('v1', 'v2');
    await patch(`${url}/h?fieldManager=two`, 'merge', { spec: { maxReplicas: 4, minReplicas: 2 } });
    const { object } = await get(`${url}/h`);
    expect(entries(object).map(({ manager, apiVersion }) => [manager, apiVersion])).toEqual([
      ['one', 'autoscaling/v1'],
      ['two', 'autoscaling/v2'],
    ]);
    expect(fieldsOf(object, 'one')).toMatchObject({ 'f:spec': { 'f:scaleTargetRef': {} } });
    expect(fieldsOf(object, 'one')).not.toMatchObject({ 'f:spec': { 'f:maxReplicas': {} } });
    expect(fieldsOf(object, 'two')).toEqual({
      'f:spec': { 'f:maxReplicas': {}, 'f:minReplicas': {} },
    });
  });
});

describe('the scale', () => {
  it('enters its writer as the manager of the replicas', async () => {
    const { post, patch, put, get } = await givenControlPlane();
    await post(`${DEPLOYMENTS}?fieldManager=one`, deployment('d', 1));
    const url = `${DEPLOYMENTS}/d/scale?fieldManager=two`;
    expect((await patch(url, 'merge', { spec: { replicas: 4 } })).code).toBe(200);
    const scaled = (await get(`${DEPLOYMENTS}/d`)).object;
    expect(managers(scaled)).toEqual(['one Update', 'two Update scale']);
    expect(fieldsOf(scaled, 'two')).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(fieldsOf(scaled, 'one')).not.toMatchObject({ 'f:spec': { 'f:replicas': {} } });
    const shown = await get(`${DEPLOYMENTS}/d/scale`);
    expect(shown.object.metadata).not.toHaveProperty('managedFields');
    const body = { ...shown.object, spec: { replicas: 5 } };
    await put(`${DEPLOYMENTS}/d/scale?fieldManager=three`, body);
    expect(managers((await get(`${DEPLOYMENTS}/d`)).object)).toEqual([
      'one Update',
      'three Update scale',
    ]);
  });
});

describe('managerOf', () => {
  it.each([
    ['kubectl/v1.36.3 (linux/amd64) kubernetes/abc', 'kubectl'],
    ['Mozilla', 'Mozilla'],
    ['', ''],
    ['/x', ''],
    [`${'a'.repeat(130)}/1`, 'a'.repeat(128)],
    [`a\tb\u0007c/1`, 'abc'],
    [`${'a'.repeat(127)}é/1`, 'a'.repeat(127)],
    ['é😀/1', 'é😀'],
  ])('%j is known as %j', (userAgent, name) => {
    const request = { headers: { 'user-agent': userAgent } } as unknown as ManagedWrite['request'];
    expect(managerOf({ request, options: { fieldManager: '' } })).toBe(name);
    expect(managerOf({ request, options: { fieldManager: 'me' } })).toBe('me');
  });
});
