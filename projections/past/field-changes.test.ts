import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { applyChanges, fieldChanges, sameJson } from './field-changes.ts';
import { formatFieldPath, schemaOfObject } from './field-path.ts';

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'name', 'a.b', '__proto__', 'constructor', '0'),
  fc.string({ maxLength: 3 }),
);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue[]>(null, true, 0, 1, '', 'x'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 4, selector: ([one]) => one }).map(
      (entries) => Object.fromEntries(entries) as JsonObject, // fromEntries sets own keys only.
    ),
  ),
}));
const object = fc.record({ metadata: value, spec: value, list: fc.array(value) });

/** A pod's parts with a name: containers by name, their ports by port and protocol. */
const port = fc.record({
  containerPort: fc.integer({ min: 1, max: 4 }),
  protocol: fc.constantFrom('TCP', 'UDP'),
  name: fc.constantFrom('x', 'y'),
});
const container = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  image: fc.constantFrom('one', 'two'),
  args: fc.array(fc.constantFrom('1', '2', '3'), { maxLength: 4 }),
  ports: fc.array(port, { maxLength: 3 }),
});
const pod = fc
  .record({
    containers: fc.array(container, { maxLength: 5 }),
    nodeName: fc.constantFrom('n', 'm'),
  })
  .map((spec) => ({ apiVersion: 'v1', kind: 'Pod', spec }));

describe('the changes between two states', () => {
  it('make the second out of the first, whatever they are', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        const frozen = JSON.stringify(before);
        const changes = fieldChanges(before, after, undefined);
        expect(sameJson(applyChanges(before, changes), after)).toBe(true);
        expect(JSON.stringify(before)).toBe(frozen);
        expect(changes.length === 0).toBe(sameJson(before, after));
      }),
    );
  });

  it('make the second out of the first where elements have names', () => {
    fc.assert(
      fc.property(pod, pod, (before, after) => {
        const changes = fieldChanges(before, after, schemaOfObject(before));
        expect(applyChanges(before, changes)).toEqual(after);
        expect(changes.length === 0).toBe(sameJson(before, after));
      }),
    );
  });

  it('follow elements by their names', () => {
    const one = { name: 'web', image: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }] };
    const other = { name: 'log', image: 'l' };
    const podOf = (...containers: JsonObject[]): JsonObject => {
      return { apiVersion: 'v1', kind: 'Pod', spec: { containers } };
    };
    const before = podOf(one, other);
    const after = podOf({ name: 'new' }, other, {
      ...one,
      image: 'b',
      ports: [{ containerPort: 80, protocol: 'TCP', hostPort: 8080 }],
    });
    const changes = fieldChanges(before, after, schemaOfObject(before));
    expect(changes.map(({ kind, path }) => `${kind} ${formatFieldPath(path)}`)).toEqual([
      'changed spec.containers[name=web].image',
      'added spec.containers[name=web].ports[containerPort=80,protocol=TCP].hostPort',
      'added spec.containers[name=new]',
      'reordered spec.containers',
    ]);
  });

  it('go by places where a name stands twice', () => {
    const podOf = (...names: string[]): JsonObject => {
      return {
        apiVersion: 'v1',
        kind: 'Pod',
        spec: { containers: names.map((name) => ({ name })) },
      };
    };
    const changes = fieldChanges(podOf('a', 'a'), podOf('a', 'b'), schemaOfObject(podOf()));
    expect(changes.map(({ path }) => formatFieldPath(path))).toEqual(['spec.containers[1].name']);
  });

  it('write keys that are no words in brackets', () => {
    const changes = fieldChanges({ data: {} }, { data: { 'a.b/c': '1' } }, undefined);
    expect(changes.map(({ path }) => formatFieldPath(path))).toEqual(['data[a.b/c]']);
  });
});

it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
  [[1, { a: 2 }], [1, { a: 2 }], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[], {}, false],
  [{}, [], false],
  [[1], { 0: 1 }, false],
  [{ a: 1, b: undefined as never }, { a: 1 }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { b: 1 }, false],
  [null, {}, false],
  [null, null, true],
  [undefined, null, false],
])('%j and %j are the same JSON: %s', (a, b, same) => {
  expect([sameJson(a, b), sameJson(b, a)]).toEqual([same, same]);
});
