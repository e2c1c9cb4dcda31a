import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import {
  CRDS,
  definition,
  givenDefinitions,
  stopCrdControllers,
  unreadableBundle,
  WIDGETS,
} from './given-definitions.fixture.ts';

const CRD = `${CRDS}/widgets.example.com`;
const OBJECTS = '/apis/example.com/v1/namespaces/default/widgets';

afterEach(stopCrdControllers);

function widget(name: string, metadata: JsonObject = {}) {
  return { kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name, ...metadata } };
}

/** The definition is established, and has an object that does not go by itself. */
async function givenWidget() {
  const plane = await givenDefinitions();
  await plane.start();
  await plane.post(CRDS, definition('widgets'));
  await plane.says('widgets.example.com', 'Established', 'True');
  const held = widget('held', { finalizers: ['example.com/hold'] });
  expect((await plane.post(OBJECTS, held)).code).toBe(201);
  return plane;
}

describe('objects that a definition left behind', () => {
  it('are not those of the next of its name', async () => {
    const { del, patch, post, says, get, until, objects } = await givenWidget();
    await del(CRD);
    await says('widgets.example.com', 'Terminating', 'True');
    await until(async () => {
      await patch(CRD, 'merge', { metadata: { finalizers: null } });
      return (await get(CRD)).code === 404;
    });
    expect(objects.of(WIDGETS).size).toBe(1);
    expect((await post(CRDS, definition('widgets'))).code).toBe(201);
    await says('widgets.example.com', 'Established', 'True');
    expect((await get(OBJECTS)).names).toEqual([]);
    expect((await post(OBJECTS, widget('held'))).code).toBe(201);
  });

  it('are told from those that it has before it is established', async () => {
    const { start, post, put, says, seen, get } = await givenDefinitions();
    await start();
    const one = definition('widgets');
    const spec: JsonObject = { ...one.spec, conversion: unreadableBundle() };
    await post(CRDS, { ...one, spec });
    await says('widgets.example.com', 'Established', 'False');
    expect((await post(OBJECTS, widget('early'))).code).toBe(201);
    const { metadata } = await seen('widgets.example.com');
    await put(CRD, { ...one, metadata: metadata as JsonObject });
    await says('widgets.example.com', 'Established', 'True');
    expect((await get(OBJECTS)).names).toEqual(['early']);
  });
});

describe('the objects of a definition that is deleted', () => {
  it('go also when it serves no version, which is answered until then', async () => {
    const { del, get, patch, put, seen, until, objects } = await givenWidget();
    const next = definition('widgets');
    const [version = {}] = next.spec.versions;
    next.spec.versions = [{ ...version, served: false }];
    await until(async () => {
      next.metadata = (await seen('widgets.example.com')).metadata;
      return (await put(CRD, next)).code === 200;
    });
    expect((await get(OBJECTS)).code).toBe(404);
    await del(CRD);
    await until(async () => {
      const held = await get(`${OBJECTS}/held`);
      return held.code === 200 && held.object.metadata.deletionTimestamp !== undefined;
    });
    await patch(`${OBJECTS}/held`, 'merge', { metadata: { finalizers: null } });
    await until(async () => (await get(CRD)).code === 404);
    expect(objects.of(WIDGETS).size).toBe(0);
  });

  it('are not those of a built-in resource of the same name', async () => {
    const { start, post, del, says, get, until } = await givenDefinitions();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    await post(leases, { metadata: { name: 'mine' } });
    await start();
    const one = definition('leases', {}, 'coordination.k8s.io');
    one.metadata['annotations'] = { 'api-approved.kubernetes.io': 'https://example.com/pull/1' };
    expect((await post(CRDS, one)).code).toBe(201);
    await says('leases.coordination.k8s.io', 'Established', 'True');
    await del(`${CRDS}/leases.coordination.k8s.io`);
    await until(async () => (await get(`${CRDS}/leases.coordination.k8s.io`)).code === 404);
    expect((await get(leases)).names).toEqual(['mine']);
  });
});
