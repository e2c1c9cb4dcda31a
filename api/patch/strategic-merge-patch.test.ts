import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../json/json.ts';
import { ODD_SCHEMA } from './odd-schema.fixture.ts';
import { patchSchemaOf } from './patch-schema.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

function merge(document: JsonValue, patch: JsonValue, schema = ODD_SCHEMA): JsonValue {
  const result = applyStrategicMergePatch(document, patch, schema);
  if (!result.ok) throw new Error(result.why);
  return result.value;
}

const named = (...names: string[]): JsonValue[] => names.map((name) => ({ name }));

describe('lists of objects', () => {
  it.each<[string, JsonValue, JsonValue, JsonValue]>([
    [
      'merge by their key',
      { items: [{ name: 'a', value: 'v' }, { name: 'b' }] },
      { items: [{ name: 'a', args: ['x'] }] },
      { items: [{ name: 'a', value: 'v', args: ['x'] }, { name: 'b' }] },
    ],
    [
      'put new items first when the patch does not know the old ones',
      { items: named('a', 'b') },
      { items: named('c') },
      { items: named('c', 'a', 'b') },
    ],
    [
      'lose items that are deleted',
      { items: named('a', 'b') },
      { items: [{ name: 'a', $patch: 'delete' }] },
      { items: named('b') },
    ],
    [
      'are replaced when an item says so',
      { items: named('a', 'b') },
      { items: [{ $patch: 'replace' }, { name: 'c' }] },
      { items: named('c') },
    ],
    [
      'stand in the order that is asked for',
      { items: named('a', 'b', 'c') },
      { $setElementOrder: undefined, '$setElementOrder/items': named('c', 'a') },
      { items: named('b', 'c', 'a') },
    ],
    [
      'merge and are ordered at once',
      { items: named('a', 'b') },
      { items: named('c'), '$setElementOrder/items': named('b', 'c', 'a') },
      { items: named('b', 'c', 'a') },
    ],
    [
      'that are new lose their directives and nulls',
      {},
      {
        items: [
          { name: 'a', value: null },
          { name: 'b', $patch: 'delete' },
        ],
      },
      { items: named('a') },
    ],
  ])('%s', (_, document, patch, expected) => {
    expect(merge(document, patch)).toEqual(expected);
  });

  it('take items by the hundred thousand', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `n${String(index)}`);
    const items = named(...names);
    const merged = merge({ items }, { items: [...items].reverse() });
    expect(merged).toEqual({ items: [...items].reverse() });
  });
});

describe('lists of scalars', () => {
  it.each<[string, JsonValue, JsonValue, JsonValue]>([
    [
      'merge as sets',
      { scalars: ['a', 'b'] },
      { scalars: ['c', 'a'] },
      { scalars: ['c', 'a', 'b'] },
    ],
    [
      'lose what is deleted from them',
      { scalars: ['a', 'b', 'a'] },
      { '$deleteFromPrimitiveList/scalars': ['a'] },
      { scalars: ['b'] },
    ],
    [
      'are replaced where they do not merge',
      { atomic: ['a'] },
      { atomic: ['b'] },
      { atomic: ['b'] },
    ],
    [
      'stand in the order that is asked for',
      { scalars: ['a', 'b', 'c'] },
      { scalars: ['d'], '$setElementOrder/scalars': ['c', 'd', 'a'] },
      { scalars: ['b', 'c', 'd', 'a'] },
    ],
  ])('%s', (_, document, patch, expected) => {
    expect(merge(document, patch)).toEqual(expected);
  });
});

describe('objects', () => {
  it.each<[string, JsonValue, JsonValue, JsonValue]>([
    [
      'merge',
      { inner: { name: 'a' } },
      { inner: { value: 'v' } },
      { inner: { name: 'a', value: 'v' } },
    ],
    [
      'lose keys that are null',
      { inner: { name: 'a' }, text: 't' },
      { text: null },
      { inner: { name: 'a' } },
    ],
    [
      'are replaced',
      { inner: { name: 'a' } },
      { inner: { value: 'v', $patch: 'replace' } },
      { inner: { value: 'v' } },
    ],
    ['are emptied', { inner: { name: 'a' } }, { inner: { $patch: 'delete' } }, { inner: {} }],
    [
      'are replaced where the type says so',
      { replaced: { name: 'a' } },
      { replaced: { value: 'v' } },
      { replaced: { value: 'v' } },
    ],
    [
      'keep no keys but those to be retained',
      { inner: { name: 'a', value: 'v', args: ['x'] } },
      { inner: { $retainKeys: ['name', 'value'], value: 'w' } },
      { inner: { name: 'a', value: 'w' } },
    ],
    [
      'that take the place of something else have no nulls',
      { text: 't' },
      { text: { a: null } },
      { text: {} },
    ],
  ])('%s', (_, document, patch, expected) => {
    expect(merge(document, patch)).toEqual(expected);
  });

  it('treat a key __proto__ as a key', () => {
    const patch = JSON.parse('{"labels":{"__proto__":"x","constructor":"y"}}') as JsonValue;
    const merged = merge({ labels: { a: 'b' } }, patch);
    expect(JSON.stringify(merged)).toBe('{"labels":{"a":"b","__proto__":"x","constructor":"y"}}');
  });
});

describe('what is refused', () => {
  it.each<[JsonValue, JsonValue, number, string]>([
    [
      { items: named('a') },
      { items: [{ value: 'v' }] },
      500,
      'map: map[value:v] does not contain declared merge key: name',
    ],
    [
      { items: named('a') },
      { items: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      { items: named('a') },
      { items: [{ name: 'a', $patch: 'x' }] },
      500,
      'unknown patch type: x in map: map[$patch:x name:a]',
    ],
    [
      { items: named('a') },
      { items: [{ name: 'a', $patch: 'merge' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      { items: named('a') },
      { items: ['a'] },
      500,
      'list element types are not identical: [[map[name:a]] [a]]',
    ],
    [{ scalars: [] }, { scalars: [['a']] }, 422, 'lists of lists are not supported'],
    [
      { keyless: named('a') },
      { keyless: named('b') },
      500,
      'cannot merge lists without merge key for struct',
    ],
    [
      { nope: {} },
      { nope: {} },
      500,
      'unable to find api field in struct odd for the json field "nope"',
    ],
    [
      { maps: { a: {} } },
      { maps: { a: {} } },
      500,
      'merging an object in json but data type is not struct, instead is: map',
    ],
    [{ bad: ['a'] }, { bad: ['b'] }, 500, 'unexpected patch strategy: [merge replace]'],
    [{}, { $patch: 'x' }, 500, 'unknown patch type: x in map: map[$patch:x]'],
    [{}, { $deleteFromPrimitiveList: [] }, 400, 'invalid patch format of primitive list'],
    [{}, { $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
    [{}, { $retainKeys: 'a' }, 400, 'invalid patch format of retainKeys'],
    [{}, { $retainKeys: ['a'], text: 't' }, 400, 'invalid patch format of retainKeys'],
    [
      {},
      { '$setElementOrder/items': 'x' },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      { scalars: ['a'] },
      { scalars: ['b', 'a'], '$setElementOrder/scalars': ['a', 'b'] },
      500,
      "The order in patch list:\n[b a]\n doesn't match $setElementOrder list:\n[a b]\n",
    ],
    [{}, [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ])('%j with %j', (document, patch, code, why) => {
    expect(applyStrategicMergePatch(document, patch, ODD_SCHEMA)).toMatchObject({
      ok: false,
      code,
      why,
    });
  });
});

describe('built-in types', () => {
  const deployment = patchSchemaOf('io.k8s.api.apps.v1.Deployment');

  it('are known by their facts', () => {
    const document = {
      spec: {
        template: {
          spec: { containers: [{ name: 'a', image: 'x', ports: [{ containerPort: 80 }] }] },
        },
      },
    };
    const patch = {
      spec: {
        template: {
          spec: {
            $setElementOrder: undefined,
            '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
            containers: [
              { name: 'a', ports: [{ containerPort: 80, name: 'http' }] },
              { name: 'b', image: 'y' },
            ],
          },
        },
      },
    };
    expect(merge(document, patch, deployment)).toEqual({
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'a', image: 'x', ports: [{ containerPort: 80, name: 'http' }] },
              { name: 'b', image: 'y' },
            ],
          },
        },
      },
    });
  });

  it('are found with their inlined fields', () => {
    const pod = patchSchemaOf('io.k8s.api.core.v1.Pod');
    const document = { spec: { volumes: [{ name: 'v', emptyDir: {} }] } };
    const patch = {
      spec: {
        volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/' } }],
      },
    };
    expect(merge(document, patch, pod)).toEqual({
      spec: { volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    });
  });

  it('are not made up', () => {
    expect(patchSchemaOf('io.k8s.api.core.v1.Nothing')).toBeUndefined();
  });
});
