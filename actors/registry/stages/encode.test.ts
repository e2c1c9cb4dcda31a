import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { configMap, givenControlPlane } from '../given-registry.fixture.ts';
import { isNewInTimesAlone } from './encode.ts';

const entry = (manager: string, second: number, more: JsonObject = {}): JsonObject => ({
  manager,
  operation: 'Update',
  time: `2026-01-01T00:00:0${String(second)}Z`,
  fieldsV1: { 'f:data': {} },
  ...more,
});

function stored(managedFields: JsonObject[], more: JsonObject = {}): KubeObject {
  const metadata = { name: 'a', resourceVersion: '7', managedFields };
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata, ...more };
}

function written(managedFields: JsonObject[], more: JsonObject = {}): KubeObject {
  const { metadata, ...rest } = stored(managedFields, more);
  const { resourceVersion: _, ...fresh } = metadata;
  return { ...rest, metadata: fresh };
}

describe('an object is new in times alone', () => {
  const before = stored([entry('a', 1), entry('b', 1)], { data: { k: 'v' } });

  it.each<[boolean, string, JsonObject[], JsonObject]>([
    [true, 'a time', [entry('a', 2), entry('b', 1)], { data: { k: 'v' } }],
    [true, 'all times', [entry('a', 2), entry('b', 3)], { data: { k: 'v' } }],
    [false, 'nothing', [entry('a', 1), entry('b', 1)], { data: { k: 'v' } }],
    [false, 'its data', [entry('a', 2), entry('b', 1)], { data: { k: 'w' } }],
    [false, 'more', [entry('a', 2), entry('b', 1)], { data: { k: 'v' }, immutable: true }],
    [false, 'less', [entry('a', 2), entry('b', 1)], {}],
    [false, 'one entry', [entry('a', 2), entry('b', 1, { fieldsV1: {} })], { data: { k: 'v' } }],
    [false, 'a manager', [entry('a', 2), entry('c', 1)], { data: { k: 'v' } }],
    [false, 'fewer entries', [entry('a', 2)], { data: { k: 'v' } }],
    [false, 'what an entry has', [entry('a', 2), entry('b', 1, { x: 1 })], { data: { k: 'v' } }],
  ])('%s where %s differs', (isNew, _, entries, more) => {
    expect(isNewInTimesAlone(written(entries, more), before)).toBe(isNew);
  });
});

it('a write that changes nothing but a time is not written', async () => {
  const { send, applied, clock, get } = await givenControlPlane();
  const url = '/api/v1/namespaces/default/configmaps/a?fieldManager=me';
  const apply = (k: string) =>
    send({ method: 'PATCH', url, body: configMap('a', { k }), contentType: APPLY });
  await apply('v');
  const before = applied.current;
  clock.advance(60_000);
  expect((await apply('v')).code).toBe(200);
  expect(applied.current).toBe(before);
  const read = await get('/api/v1/namespaces/default/configmaps/a');
  expect((await send({ method: 'PUT', url, body: read.object })).code).toBe(200);
  expect(applied.current).toBe(before);
  expect((await apply('w')).code).toBe(200);
  expect(applied.current).toBe(before + 1);
});

const APPLY = 'application/apply-patch+yaml';
