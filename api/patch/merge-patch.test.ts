import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { applyMergePatch } from './merge-patch.ts';

function merge(document: JsonValue, patch: JsonValue): JsonValue {
  const result = applyMergePatch(document, patch, 'Ignore');
  if (!result.ok) throw new Error(result.why);
  return result.value;
}

describe('merging', () => {
  it.each<[string, JsonValue, JsonValue, JsonValue]>([
    ['sets and adds', { a: 1 }, { a: 2, b: 3 }, { a: 2, b: 3 }],
    ['deletes', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['goes into objects', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ['replaces lists', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    ['adds no nulls', {}, { a: { b: null, c: { d: null } } }, { a: { c: {} } }],
    ['makes an object of a scalar', { a: 1 }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    ['drops nulls within lists that are new', {}, { a: [{ b: null }, null] }, { a: [{}, null] }],
    ['drops nulls within lists over lists', { a: [1] }, { a: [{ b: null }] }, { a: [{}] }],
    ['keeps them in lists over objects', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['takes the patch for a document that is no object', 1, { a: null, b: 1 }, { b: 1 }],
    ['takes a list for the whole document', { a: 1 }, [{ b: null }], [{}]],
  ])('%s', (_, document, patch, expected) => {
    expect(merge(document, patch)).toEqual(expected);
  });

  it('leaves what did not change as it is, and the inputs unchanged', () => {
    const document = { same: { deep: [1] }, other: { a: 1 } };
    const patch = { other: { a: 2 } };
    const merged = merge(document, patch) as JsonObject;
    expect(merged['same']).toBe(document.same);
    expect(document).toEqual({ same: { deep: [1] }, other: { a: 1 } });
  });

  it('treats a key __proto__ as a key', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"a":1}}') as JsonValue;
    const merged = merge({ b: 1 }, patch);
    expect(JSON.stringify(merged)).toBe('{"b":1,"__proto__":{"polluted":1},"constructor":{"a":1}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('what is no patch', () => {
  it.each<[JsonValue]>([['x'], [1], [true], [null]])('%j is refused', (patch) => {
    expect(applyMergePatch({}, patch, 'Ignore')).toMatchObject({
      code: 400,
      message: 'Invalid JSON Patch',
    });
  });

  it('is refused in other words when fields are validated', () => {
    expect(applyMergePatch({}, [], 'Warn')).toMatchObject({
      code: 400,
      message:
        'error decoding patch: json: cannot unmarshal array into Go value of type ' +
        'map[string]interface {}',
    });
  });

  it('is refused when it nests too deep', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`) as JsonValue;
    expect(applyMergePatch({}, deep, 'Ignore')).toMatchObject({ code: 400 });
  });
});

/** RFC 7386, section 2, word for word. */
function rfc7386(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) Reflect.deleteProperty(result, key);
    else result[key] = rfc7386(result[key] ?? null, value);
  }
  return result;
}

describe('for any two documents without lists', () => {
  const scalars = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const keys = fc.constantFrom('a', 'b', 'c', 'd');
  const { object } = fc.letrec<{ object: JsonValue }>((tie) => ({
    object: fc.dictionary(keys, fc.oneof({ maxDepth: 4 }, scalars, tie('object'))),
  }));

  it('does what the RFC says', () => {
    fc.assert(
      fc.property(object, object, (document, patch) => {
        expect(merge(document, patch)).toEqual(rfc7386(document, patch));
      }),
    );
  });

  it('changes nothing more the second time', () => {
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const once = merge(document, patch);
        expect(merge(once, patch)).toEqual(once);
      }),
    );
  });
});
