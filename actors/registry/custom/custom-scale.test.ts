import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { givenControlPlane, type ControlPlane } from '../given-registry.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TABS = '/apis/example.com/v1/namespaces/default/tabs';
const names = { plural: 'tabs', singular: 'tab', kind: 'Tab', listKind: 'TabList' };

const count = { type: 'integer' };
const spec = { type: 'object', properties: { size: count, selector: { type: 'string' } } };
const status = { type: 'object', properties: { size: count, selector: { type: 'string' } } };

/** Its Scale counts `spec.size`. */
const DEFINITION: JsonObject = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'tabs.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size',
            statusReplicasPath: '.status.size',
            labelSelectorPath: '.status.selector',
          },
        },
      },
    ],
  },
};

async function givenTab(spec: JsonObject): Promise<ControlPlane> {
  const plane = await givenControlPlane();
  await plane.post(CRDS, DEFINITION);
  const { object } = await plane.get(`${CRDS}/tabs.example.com`);
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({
    ...{ type, status: 'True', reason: 'Given', message: '' },
    lastTransitionTime: '2026-11-21T09:00:00Z',
  }));
  const status = { acceptedNames: names, storedVersions: ['v1'], conditions };
  await plane.put(`${CRDS}/tabs.example.com/status`, { ...object, status });
  const tab = { kind: 'Tab', apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec };
  const made = await plane.post(TABS, tab);
  expect(made.code, made.message).toBe(201);
  return plane;
}

function scale(spec: JsonObject): JsonObject {
  const metadata = { name: 'a', namespace: 'default' };
  return { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata, spec };
}

describe('the scale of a custom resource', () => {
  it('shows what its definition says counts, and sets it', async () => {
    const { get, put } = await givenTab({ size: 3 });
    const shown = await get(`${TABS}/a/scale`);
    expect(shown.object).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect(shown.answer).toMatchObject({ goType: 'v1.Scale' });

    const set = await put(`${TABS}/a/scale`, scale({ replicas: 5 }));
    expect([set.code, set.object['spec']]).toEqual([200, { replicas: 5 }]);
    expect((await get(`${TABS}/a`)).object['spec']).toEqual({ size: 5 });
  });

  it('cannot be shown where nothing is counted, and can be set', async () => {
    const { get, put, patch } = await givenTab({});
    expect(await get(`${TABS}/a/scale`)).toMatchObject({
      code: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.size" does not exist',
    });
    expect(await patch(`${TABS}/a/scale`, 'merge', {})).toMatchObject({
      code: 400,
      message: 'the spec replicas field ".spec.size" cannot be empty',
    });

    expect((await put(`${TABS}/a/scale`, scale({ replicas: 2 }))).code).toBe(200);
    expect((await get(`${TABS}/a`)).object['spec']).toEqual({ size: 2 });
  });

  it('is judged by the rules of its own kind', async () => {
    const { put, get } = await givenTab({ size: 3 });
    expect((await put(`${TABS}/a/scale`, scale({ replicas: 'many' }))).code).toBe(400);
    expect((await get(`${TABS}/a`)).object['spec']).toEqual({ size: 3 });
  });

  it('is of an object whose apiVersion is no null', async () => {
    const { put } = await givenTab({ size: 3 });
    const tab = { apiVersion: null, kind: 'Tab', metadata: { name: 'a' }, spec: { size: 3 } };
    expect(await put(`${TABS}/a`, tab)).toMatchObject({
      code: 400,
      message:
        'Tab in version "" cannot be handled as a Tab: .apiVersion accessor error: ' +
        '<nil> is of the type <nil>, expected string',
    });
  });

  it('is refused in upstream’s words, which has no name for it there', async () => {
    const { put, patch } = await givenTab({ size: 3 });
    const other = { ...scale({ replicas: 1 }), apiVersion: 'apps/v1beta1' };
    expect(await put(`${TABS}/a/scale`, other)).toMatchObject({
      code: 400,
      message:
        'no kind is registered for the type v1.Scale in scheme ' +
        '"pkg/apiserver/customresource_handler.go:781"',
    });
    const asDeployment = await patch(`${TABS}/a/scale`, 'merge', { kind: 'Deployment' });
    expect(asDeployment.code).toBe(422);
    expect(asDeployment.message).toContain('no kind "Deployment" is registered for version');
    expect((await patch(`${TABS}/a/scale`, 'strategic-merge', {})).code).toBe(415);
    // What says nothing of itself is what the URL says.
    const { kind: _, apiVersion: __, ...plain } = scale({ replicas: 4 });
    expect((await put(`${TABS}/a/scale`, plain)).code).toBe(200);
  });
});
