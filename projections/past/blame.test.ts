import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { blame, blamedFields } from './blame.ts';
import { formatFieldPath } from './field-path.ts';
import { definedKeys } from './field-changes.ts';

/** How many scalars, empty objects and empty lists there are. */
function leaves(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inside = Array.isArray(value) ? value : definedKeys(value).map((key) => value[key] ?? null);
  return inside.length === 0 ? 1 : inside.reduce<number>((sum, one) => sum + leaves(one), 0);
}

const container = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  image: fc.constantFrom('one', 'two'),
  args: fc.array(fc.constantFrom('1', '2'), { maxLength: 3 }),
});
const pod = fc
  .record({
    containers: fc.array(container, { maxLength: 4 }),
    extra: fc.oneof(fc.constant({}), fc.dictionary(fc.string({ maxLength: 2 }), fc.boolean())),
  })
  .map((spec) => ({ apiVersion: 'v1', kind: 'Pod', spec }));
const life = fc.array(fc.option(pod, { nil: undefined, freq: 6 }), { minLength: 1, maxLength: 8 });

function blameOf(states: readonly (JsonObject | undefined)[]) {
  return blame(states.map((object, index) => ({ revision: index + 1, object })));
}

function table(...states: (JsonObject | undefined)[]): Record<string, number> {
  const blamed = blameOf(states);
  const fields = blamed === undefined ? [] : blamedFields(blamed);
  return Object.fromEntries(fields.map(({ path, revision }) => [formatFieldPath(path), revision]));
}

function podOf(...containers: JsonObject[]): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', spec: { containers } };
}

describe('the blame', () => {
  it('names, for every field of the last state, a revision that had the same there', () => {
    fc.assert(
      fc.property(life, (states) => {
        const blamed = blameOf(states);
        const last = states.at(-1);
        expect(blamed === undefined).toBe(last === undefined);
        if (blamed === undefined || last === undefined) return;
        expect(blamed.value).toEqual(last);
        const born = states.lastIndexOf(undefined) + 2;
        const fields = blamedFields(blamed);
        expect(fields).toHaveLength(leaves(last));
        for (const { revision, value } of fields) {
          expect(revision).toBeGreaterThanOrEqual(born);
          expect(revision).toBeLessThanOrEqual(states.length);
          expect(JSON.stringify(states[revision - 1])).toContain(JSON.stringify(value));
        }
      }),
    );
  });

  it('does not blame a revision that changed nothing', () => {
    fc.assert(
      fc.property(pod, (state) => {
        const copy = structuredClone(state);
        expect(table(state, copy)).toEqual(table(state));
      }),
    );
  });

  it('follows elements by their names and fields by theirs', () => {
    const one = { name: 'web', image: 'a' };
    expect(
      table(podOf(one), podOf({ name: 'new', image: 'n' }, one), podOf({ ...one, image: 'b' })),
    ).toEqual({
      apiVersion: 1,
      kind: 1,
      'spec.containers[name=web].name': 1,
      'spec.containers[name=web].image': 3,
    });
  });

  it('blames the user that set a field again, and begins anew with an object that was created again', () => {
    const state = podOf({ name: 'web', image: 'a' });
    const bare = podOf({ name: 'web' });
    expect(table(state, bare, state)).toMatchObject({ 'spec.containers[name=web].image': 3 });
    expect(new Set(Object.values(table(state, undefined, state)))).toEqual(new Set([3]));
    expect(table(state, undefined)).toEqual({});
  });

  it('keeps __proto__ a key like others', () => {
    const odd = JSON.parse('{"data":{"__proto__":"x"}}') as JsonObject;
    expect(table(odd)).toEqual({ 'data.__proto__': 1 });
  });
});
