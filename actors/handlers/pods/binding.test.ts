import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { pod } from '../../registry/given-registry.fixture.ts';
import { givenVirtual, notingPlugins } from '../given-virtual.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const BINDINGS = '/api/v1/namespaces/default/bindings';

function binding(name: string, metadata: JsonObject = {}, target: JsonObject = {}): JsonObject {
  return {
    kind: 'Binding',
    apiVersion: 'v1',
    metadata: { name, ...metadata },
    target: { kind: 'Node', name: 'n1', ...target },
  };
}

async function given(spec: JsonObject = {}, metadata: JsonObject = {}) {
  const virtual = await givenVirtual();
  const made = await virtual.plane.post(PODS, pod('a', spec, metadata));
  expect(made.code).toBe(201);
  const now = async () => (await virtual.plane.get(`${PODS}/a`)).object;
  return { ...virtual, made: made.object, now };
}

describe('binding a pod', () => {
  it('gives it its node, with labels and annotations of the binding', async () => {
    const labels = { app: 'web', zone: 'old' };
    const { post, now, made } = await given({}, { labels, annotations: { a: '1' } });
    const said = await post(
      `${PODS}/a/binding`,
      binding('a', { labels: { zone: 'z1' }, annotations: { b: '2' } }),
    );
    expect(said.code).toBe(201);
    expect(said.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      code: 201,
    });
    expect(await now()).toMatchObject({
      metadata: {
        labels: { app: 'web', zone: 'z1' },
        annotations: { a: '1', b: '2' },
        generation: made.metadata.generation,
      },
      spec: { nodeName: 'n1' },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null }],
      },
    });
  });

  it('passes admission once, as a binding', async () => {
    const asked: string[] = [];
    const { post, plane } = await givenVirtual({ plugins: notingPlugins(asked) });
    await plane.post(PODS, pod('a'));
    asked.length = 0;
    expect(await post(`${PODS}/a/binding`, binding('a'))).toMatchObject({ code: 201 });
    expect(asked).toEqual(['mutate CREATE binding', 'validate CREATE binding']);
  });

  it('takes back the scheduler’s guess', async () => {
    const { post, now, plane, made } = await given();
    await plane.put(`${PODS}/a/status`, { ...made, status: { nominatedNodeName: 'n2' } });
    expect((await now())['status']).toMatchObject({ nominatedNodeName: 'n2' });
    await post(`${PODS}/a/binding`, binding('a'));
    expect((await now())['status']).not.toHaveProperty('nominatedNodeName');
  });

  it('can also be said to bindings', async () => {
    const { post, now } = await given();
    // A uid is no precondition there.
    expect(await post(BINDINGS, binding('a', { uid: 'x' }))).toMatchObject({ code: 201 });
    expect(await now()).toMatchObject({ spec: { nodeName: 'n1' } });
  });

  it('is only rehearsed in a dry run', async () => {
    const { post, now, made } = await given();
    expect(await post(`${PODS}/a/binding?dryRun=All`, binding('a'))).toMatchObject({ code: 201 });
    expect(await now()).toEqual(made);
  });

  it('happens once', async () => {
    const { post } = await given();
    const both = await Promise.all([
      post(`${PODS}/a/binding`, binding('a')),
      post(`${PODS}/a/binding`, binding('a', {}, { name: 'n2' })),
    ]);
    expect(both.map(({ code }) => code)).toEqual([201, 409]);
    expect(both[1]).toMatchObject({
      message:
        'Operation cannot be fulfilled on pods/binding "a": ' +
        'pod a is already assigned to node "n1"',
      body: { details: { name: 'a', kind: 'pods/binding' } },
    });
  });

  it('does not happen to a pod that goes or waits', async () => {
    const gated = await given({ schedulingGates: [{ name: 'x' }] });
    const waits = await gated.post(`${PODS}/a/binding`, binding('a'));
    expect(waits).toMatchObject({ code: 409 });
    expect(waits.message).toContain('pod a has non-empty .spec.schedulingGates');

    const held = await given({}, { finalizers: ['example.org/x'] });
    await held.plane.del(`${PODS}/a`);
    const goes = await held.post(`${PODS}/a/binding`, binding('a'));
    expect(goes).toMatchObject({ code: 409 });
    expect(goes.message).toContain('pod a is being deleted, cannot be assigned to a host');
  });

  it('holds to its preconditions', async () => {
    const { post, made } = await given();
    const { uid = '', resourceVersion = '' } = made.metadata;
    const other = await post(`${PODS}/a/binding`, binding('a', { uid: 'x' }));
    expect(other).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on pods "a": ' +
        `Precondition failed: UID in precondition: x, UID in object meta: ${uid}`,
    });
    const old = await post(`${PODS}/a/binding`, binding('a', { uid, resourceVersion: '1' }));
    expect(old).toMatchObject({ code: 409 });
    const right = await post(`${PODS}/a/binding`, binding('a', { uid, resourceVersion }));
    expect(right).toMatchObject({ code: 201 });
  });

  it.each([
    ['b', binding('b'), 404, 'pods "b" not found'],
    ['a', binding('b'), 400, 'name in URL does not match name in Binding object'],
    [
      'a',
      binding('a', {}, { kind: 'Pod', name: '' }),
      500,
      '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", ' +
        'target.name: Required value]',
    ],
    [
      'a',
      binding('a', { namespace: 'other' }),
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('of %s refuses %j', async (name, body, code, message) => {
    const { post } = await given();
    expect(await post(`${PODS}/${name}/binding`, body)).toMatchObject({ code, message });
  });

  it('needs a namespace that is there', async () => {
    const { post } = await givenVirtual();
    const said = await post('/api/v1/namespaces/none/pods/a/binding', binding('a'));
    expect(said).toMatchObject({ code: 404, message: 'namespaces "none" not found' });
  });
});
