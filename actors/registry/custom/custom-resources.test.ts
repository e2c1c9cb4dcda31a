import { describe, expect, it } from 'vitest';

import { givenControlPlane } from '../given-registry.fixture.ts';
import {
  CRDS,
  NAME,
  TABS,
  TABS2,
  V1,
  V2,
  WEBHOOK,
  changeDefinition,
  definition,
  establish,
  given,
  renamed,
  stored,
  tab,
  version,
} from './given-tabs.fixture.ts';

const BOOLEAN = { type: 'boolean' };

describe('a custom resource', () => {
  it('is served from the moment on at which its definition says so', async () => {
    const plane = await givenControlPlane();
    await plane.post(CRDS, definition());
    expect((await plane.get(TABS)).code).toBe(404);
    await establish(plane);
    const told = await plane.get(TABS);
    expect(told.list?.served.facts).toMatchObject({ kind: 'Tab', listKind: 'TabList' });
  });

  it('is pruned, defaulted and given a generation', async () => {
    const plane = await given();
    const sent = { ...tab('a', { color: 'red', odd: 1 }), status: { ready: true } };
    const { code, object, warnings } = await plane.post(TABS, sent);
    expect(code).toBe(201);
    expect(object['spec']).toEqual({ color: 'red', size: 1 });
    expect(object['status']).toBeUndefined();
    expect(object.metadata.generation).toBe(1);
    expect(warnings).toEqual(['unknown field "spec.odd"']);
    expect(stored(plane, 'a')['spec']).toEqual({ color: 'red', size: 1 });
  });

  it.each([
    [tab('a', { size: 10 }), 422, 'should be less than or equal to 9'],
    [tab('a', { size: 'x' }), 422, 'must be of type integer'],
    [{ ...tab('a', {}), kind: 'Tub' }, 422, 'kind: Invalid value: "Tub": must be Tab'],
    [{ metadata: { name: 'a' } }, 400, "Object 'Kind' is missing in"],
    [tab('a', {}, 'example.com/v2'), 400, 'does not match the expected API version'],
    [tab('A', {}), 422, 'metadata.name: Invalid value'],
  ])('%j is refused with %i', async (sent, code, message) => {
    const plane = await given();
    const told = await plane.post(TABS, sent);
    expect([told.code, told.message]).toEqual([code, expect.stringContaining(message)]);
  });

  it('has the default of its status, which is written through the status alone', async () => {
    const status = { type: 'object', default: { ready: false }, properties: { ready: BOOLEAN } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { status } } };
    const plane = await given(definition([{ ...V1, selectableFields: [], schema }]));
    const made = await plane.post(`${TABS}?fieldManager=me`, { ...tab('a', {}), status: null });
    expect(made.object['status']).toEqual({ ready: false });
    expect(JSON.stringify(made.object.metadata['managedFields'] ?? [])).not.toContain('f:status');
    expect((await plane.get(`${TABS}/a`)).object['status']).toEqual({ ready: false });
    const written = { ...made.object, status: { ready: true } };
    expect((await plane.put(`${TABS}/a`, written)).object['status']).toEqual({ ready: false });
    const ready = await plane.put(`${TABS}/a/status`, written);
    expect(ready.object['status']).toEqual({ ready: true });
    const { status: _, ...without } = ready.object;
    const gone = await plane.put(`${TABS}/a/status`, without);
    expect(gone.object['status']).toEqual({ ready: false });
  });

  it('counts what is changed besides its metadata and its status', async () => {
    const plane = await given();
    const { object } = await plane.post(TABS, tab('a', { color: 'red' }));
    const labelled = { ...object, metadata: { ...object.metadata, labels: { x: 'y' } } };
    const first = await plane.put(`${TABS}/a`, { ...labelled, status: { ready: true } });
    expect(first.object.metadata.generation).toBe(1);
    expect(first.object['status']).toBeUndefined();
    const written = { ...first.object, spec: { color: 'never' }, status: { ready: true } };
    const second = await plane.put(`${TABS}/a/status`, written);
    expect(second.object).toMatchObject({
      spec: { color: 'red', size: 1 },
      status: { ready: true },
      metadata: { generation: 1, labels: { x: 'y' } },
    });
    const third = await plane.put(`${TABS}/a`, { ...second.object, spec: { color: 'blue' } });
    expect(third.object.metadata.generation).toBe(2);
    expect(third.object['status']).toEqual({ ready: true });
  });

  it('keeps its metadata, whatever they are, where its status is written', async () => {
    const plane = await given();
    const { object } = await plane.post(TABS, tab('a', {}));
    const metadata = { ...object.metadata, labels: { x: 'no label' }, finalizers: ['odd'] };
    const written = { ...object, metadata, status: { ready: true } };
    const { code, object: shown, message } = await plane.put(`${TABS}/a/status`, written);
    expect(code, message).toBe(200);
    expect(shown).toMatchObject({ status: { ready: true }, metadata: { name: 'a' } });
    expect(shown.metadata.labels).toBeUndefined();
    expect(shown.metadata.finalizers).toBeUndefined();
  });

  it('is warned of also where it is refused afterwards', async () => {
    const plane = await given();
    const finalized = { ...tab('a', {}), metadata: { name: 'a', finalizers: ['odd'] } };
    const first = await plane.post(TABS, finalized);
    expect(first.warnings).toEqual([expect.stringContaining('prefer a domain-qualified')]);
    const again = await plane.post(TABS, finalized);
    expect([again.code, again.warnings]).toEqual([409, first.warnings]);
  });

  it('is not asked by rules where it has no name', async () => {
    const rules = [{ rule: 'self.size < 9' }];
    const spec = {
      type: 'object',
      properties: { size: { type: 'integer' } },
      'x-kubernetes-validations': rules,
    };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const plane = await given(definition([{ ...V1, schema, selectableFields: [] }]));
    const { message } = await plane.post(TABS, { ...tab('', { size: 9 }), metadata: {} });
    expect(message).toContain('name or generateName is required');
    expect(message).toContain('some validation rules were not checked');
    expect(message).not.toContain('self.size');
  });

  it('is updated at a version only, and not at all when nothing changes', async () => {
    const plane = await given();
    const { object } = await plane.post(TABS, tab('a', {}));
    const again = await plane.put(`${TABS}/a`, object);
    expect(again.object.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    const { resourceVersion: _, ...metadata } = object.metadata;
    const told = await plane.put(`${TABS}/a`, { ...object, metadata });
    expect(told.message).toContain('must be specified for an update');
  });

  it('is selected by the fields that its definition names', async () => {
    const plane = await given();
    await plane.post(TABS, tab('a', { color: 'red' }));
    await plane.post(TABS, tab('b', { color: 'blue' }));
    expect((await plane.get(`${TABS}?fieldSelector=spec.color%3Dred`)).names).toEqual(['a']);
    expect((await plane.get(`${TABS}?fieldSelector=spec.color%21%3Dred`)).names).toEqual(['b']);
    const unknown = await plane.get(`${TABS}?fieldSelector=spec.size%3D1`);
    expect(unknown.message).toBe('field label not supported: spec.size');
  });

  it('is told by its own words what cannot be done', async () => {
    const plane = await given();
    await plane.post(TABS, tab('a', {}));
    expect((await plane.get(`${TABS}/a/scale`)).message).toBe('tabs.example.com "a" not found');
    expect((await plane.put(`${TABS2}/a/status`, {})).message).toBe(
      'tabs.example.com "a" not found',
    );
    const undeletable = await plane.del(`${TABS}/a/status`);
    expect(undeletable.message).toBe(
      'delete is not supported on resources of kind "tabs.example.com"',
    );
    expect(undeletable.status?.details).toEqual({ group: 'example.com', kind: 'tabs' });
    const elsewhere = await plane.post('/apis/example.com/v1/tabs', tab('b', {}));
    expect(elsewhere.code).toBe(404);
    expect((await plane.get('/apis/example.com/v1/tabs')).names).toEqual(['a']);
    const strategic = await plane.patch(`${TABS}/a`, 'strategic-merge', {});
    expect(strategic.code).toBe(415);
    // Its form is asked for first, and then whether it names what it is about.
    expect((await plane.patch(TABS, 'strategic-merge', {})).code).toBe(415);
    expect((await plane.patch(TABS, 'merge', {})).message).toBe('name must be provided');
  });

  it('is not made any more while its definition goes', async () => {
    const plane = await given();
    await plane.post(TABS, tab('a', {}));
    await establish(plane, 'Terminating');
    const told = await plane.post(TABS, tab('b', {}));
    expect(told.code).toBe(403);
    expect(told.message).toBe(
      'tabs.example.com "b" is forbidden: create not allowed while custom resource definition is terminating',
    );
    expect((await plane.patch(`${TABS}/a`, 'merge', { spec: { size: 2 } })).code).toBe(200);
    expect((await plane.del(`${TABS}/a`)).code).toBe(200);
  });

  it('does not come about when its definition goes at the same moment', async () => {
    const plane = await given();
    const making = plane.post(TABS, tab('a', {}));
    await plane.elsewhere('apiextensions.k8s.io/customresourcedefinitions', `/${NAME}`, () => {
      return 'deleted';
    });
    expect((await making).code).toBe(404);
    expect(stored(plane, 'a')).toEqual({});
  });

  it('is read by the schema of now, and rewritten when it is written', async () => {
    const plane = await given();
    const { object } = await plane.post(TABS, tab('a', { color: 'red' }));
    await changeDefinition(plane, (spec) => {
      const width = { type: 'integer', default: 5 };
      spec['versions'] = [
        version('v1', { width }, { storage: true, subresources: { status: {} } }),
        V2,
      ];
    });
    const read = await plane.get(`${TABS}/a`);
    expect(read.object['spec']).toEqual({ width: 5 });
    expect(read.object.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    expect((await plane.get(TABS)).items.map((one) => one['spec'])).toEqual([{ width: 5 }]);
    expect(stored(plane, 'a')['spec']).toEqual({ color: 'red', size: 1 });

    const rewritten = await plane.put(`${TABS}/a`, read.object);
    expect(rewritten.object.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
    expect(stored(plane, 'a')['spec']).toEqual({ width: 5 });
    const again = await plane.put(`${TABS}/a`, rewritten.object);
    expect(again.object.metadata.resourceVersion).toBe(rewritten.object.metadata.resourceVersion);
  });

  it('was at a moment what its definition said then', async () => {
    const plane = await given();
    const { object } = await plane.post(TABS, tab('a', { color: 'red' }));
    const moment = object.metadata.resourceVersion ?? '';
    await changeDefinition(plane, (spec) => {
      spec['versions'] = [version('v1', {}, { storage: true, subresources: { status: {} } }), V2];
    });
    expect((await plane.get(`${TABS}/a`)).object['spec']).toEqual({});
    const then = await plane.get(`/at/${moment}${TABS}/a`);
    expect(then.object['spec']).toEqual({ color: 'red', size: 1 });
    const before = await plane.get(`/at/1${TABS}`);
    expect(before.list).toBeUndefined();
  });
});

describe('a custom resource in two versions', () => {
  it('differs by its apiVersion alone, and is written in the one that is stored', async () => {
    const plane = await given();
    const { object } = await plane.post(TABS2, tab('a', { size: 3 }, 'example.com/v2'));
    expect(object.apiVersion).toBe('example.com/v2');
    expect(stored(plane, 'a')['apiVersion']).toBe('example.com/v1');
    expect((await plane.get(`${TABS}/a`)).object).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { size: 3 },
    });
    const again = await plane.put(`${TABS2}/a`, object);
    expect(again.object.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    const patched = await plane.patch(`${TABS2}/a`, 'merge', { spec: { size: 4 } });
    expect(patched.object).toMatchObject({ apiVersion: 'example.com/v2', spec: { size: 4 } });
    expect((await plane.del(`${TABS2}/a`)).code).toBe(200);
  });

  it.each([
    ['None', {}],
    ['Webhook', { conversion: WEBHOOK }],
  ])(
    'has the defaults of the stored version wherever it is shown, and not in the log (%s)',
    async (_, spec) => {
      const plane = await given(definition([V1, V2], spec));
      plane.webhooks.answer = renamed;
      await plane.post(TABS2, tab('a', {}, 'example.com/v2'));
      const shown = { spec: { size: 1 } };
      expect((await plane.get(`${TABS}/a`)).object).toMatchObject(shown);
      expect((await plane.get(TABS)).items).toMatchObject([shown]);
      expect(stored(plane, 'a')['spec']).toEqual({});
    },
  );

  it('is shown also where a number of its schema has more digits than a double', async () => {
    const size = { type: 'integer', minimum: -(2 ** 62), default: 1 };
    const plane = await given(definition([version('v1', { size }, { storage: true }), V2]));
    await plane.post(TABS2, tab('a', {}, 'example.com/v2'));
    const { code, object } = await plane.get(`${TABS}/a`);
    expect([code, object['spec']]).toEqual([200, { size: 1 }]);
  });

  it('is checked in the version in which it is sent', async () => {
    const plane = await given();
    expect((await plane.post(TABS, tab('a', { size: 10 }))).code).toBe(422);
    const told = await plane.post(TABS2, tab('a', { size: 10 }, 'example.com/v2'));
    expect(told.code).toBe(201);
  });
});
