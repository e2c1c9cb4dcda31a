import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json.ts';
import { allTypeIds, jsonFieldsOf } from '../../scheme/type-facts.ts';
import { sameStruct } from './same-struct.ts';

const V1 = 'io.k8s.api.resource.v1';

function spec(parameters: JsonObject, more: JsonObject = {}): JsonObject {
  return { devices: { config: [{ opaque: { driver: 'x.io', parameters } }], ...more } };
}

describe('two structs', () => {
  const same = (a: JsonObject, b: JsonObject) => sameStruct(`${V1}.ResourceClaimSpec`, a, b);

  it('are not the same where a field that is null comes or goes in raw data', () => {
    expect(same(spec({ a: 1, n: null }), spec({ a: 1, n: null }))).toBe(true);
    for (const other of [{ a: 1 }, { a: 1, n: [] }, { a: 1, n: null, k: null }]) {
      expect(same(spec({ a: 1, n: null }), spec(other))).toBe(false);
      expect(same(spec(other), spec({ a: 1, n: null }))).toBe(false);
    }
  });

  it('are the same where one says null, or an empty list, and the other nothing', () => {
    expect(same(spec({ a: 1 }), spec({ a: 1 }, { requests: null }))).toBe(true);
    expect(same(spec({ a: 1 }, { requests: [] }), spec({ a: 1 }))).toBe(true);
    expect(same(spec({ a: 1 }, { requests: [{ name: 'r' }] }), spec({ a: 1 }))).toBe(false);
  });

  it('are compared so in every built-in type that has raw data', () => {
    const raw = allTypeIds().flatMap((id) =>
      jsonFieldsOf(id)
        .filter(({ type }) => type.kind === 'rawExtension')
        .map(({ name }) => ({ id, name })),
    );
    expect(raw).toContainEqual({ id: `${V1}.AllocatedDeviceStatus`, name: 'data' });
    for (const { id, name } of raw) {
      expect(sameStruct(id, { [name]: { n: null } }, { [name]: {} })).toBe(false);
    }
  });
});
