import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { JsonValue } from '../json/json.ts';
import { applyJsonPatch } from './json-patch.ts';
import type { PatchResult } from './patch-result.ts';

const LENIENT = { fieldValidation: 'Ignore' } as const;

function apply(document: JsonValue, ...patch: JsonValue[]): PatchResult {
  return applyJsonPatch(document, patch, LENIENT);
}

function valueOf(result: PatchResult): JsonValue {
  if (!result.ok) throw new Error(result.why);
  return result.value;
}

describe('operations', () => {
  it.each<[string, JsonValue, JsonValue, JsonValue]>([
    ['adds a key', {}, { op: 'add', path: '/a', value: 1 }, { a: 1 }],
    ['adds null without a value', {}, { op: 'add', path: '/a' }, { a: null }],
    ['adds into a list', { a: [1, 3] }, { op: 'add', path: '/a/1', value: 2 }, { a: [1, 2, 3] }],
    ['adds behind a list', { a: [1] }, { op: 'add', path: '/a/-', value: 2 }, { a: [1, 2] }],
    ['counts from the end', { a: [1] }, { op: 'add', path: '/a/-1', value: 2 }, { a: [1, 2] }],
    [
      'unescapes paths',
      { 'a/b': { 'm~n': 1 } },
      { op: 'remove', path: '/a~1b/m~0n' },
      { 'a/b': {} },
    ],
    ['unescapes once', {}, { op: 'add', path: '/~01', value: 1 }, { '~1': 1 }],
    ['removes an item', { a: [1, 2] }, { op: 'remove', path: '/a/0' }, { a: [2] }],
    ['replaces', { a: 1 }, { op: 'replace', path: '/a', value: [] }, { a: [] }],
    ['replaces a key that is not there', {}, { op: 'replace', path: '/a', value: 1 }, { a: 1 }],
    ['replaces everything', { a: 1 }, { op: 'replace', path: '', value: { b: 2 } }, { b: 2 }],
    ['moves', { a: { b: 1 } }, { op: 'move', from: '/a/b', path: '/c' }, { a: {}, c: 1 }],
    ['copies', { a: [1] }, { op: 'copy', from: '/a', path: '/b' }, { a: [1], b: [1] }],
    ['copies what is not there as null', {}, { op: 'copy', from: '/a', path: '/b' }, { b: null }],
    [
      'tests',
      { a: { b: 1, c: 2 } },
      { op: 'test', path: '/a', value: { c: 2, b: 1 } },
      { a: { b: 1, c: 2 } },
    ],
    ['takes a missing key for null', {}, { op: 'test', path: '/a', value: null }, {}],
    [
      'passes over what is before the first slash',
      {},
      { op: 'add', path: 'x/a', value: 1 },
      { a: 1 },
    ],
  ])('%s', (_, document, operation, expected) => {
    expect(valueOf(apply(document, operation))).toEqual(expected);
  });

  it.each<[JsonValue, string]>([
    [
      { op: 'add', path: '/a/b', value: 1 },
      'add operation does not apply: doc is missing path: "/a/b": missing value',
    ],
    [
      { op: 'add', path: '/l/7', value: 1 },
      "error in add for path: '/l/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [
      { op: 'add', path: '/l/x', value: 1 },
      "error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
    ],
    [{ op: 'add', value: 1 }, 'add operation failed to decode path: missing value'],
    [
      { op: 'remove', path: '/a' },
      "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
    ],
    [
      { op: 'replace', path: '/l/1', value: 1 },
      'replace operation does not apply: doc is missing key: /l/1: missing value',
    ],
    [
      { op: 'replace', path: 7, value: 1 },
      'replace operation failed to decode path: json: cannot unmarshal number into Go value of type string',
    ],
    [{ op: 'test', path: '/l', value: [2] }, 'testing value /l failed: test failed'],
    [
      { op: 'move', path: '/l' },
      'move operation failed to decode from: operation, missing from field: missing value',
    ],
    [{ op: 'jump', path: '/l' }, 'Unexpected kind: jump'],
    [{}, 'Unexpected kind: unknown'],
  ])('refuses %j', (operation, why) => {
    expect(apply({ l: [1] }, operation)).toMatchObject({
      ok: false,
      code: 422,
      message: 'the server rejected our request due to an error in our request',
      why,
    });
  });
});

describe('whole patches', () => {
  it('refuses what is no patch with 400', () => {
    expect(applyJsonPatch({}, {}, LENIENT)).toMatchObject({
      code: 400,
      message: 'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    });
    expect(applyJsonPatch({}, [{ op: 1 }], { fieldValidation: 'Warn' })).toMatchObject({
      code: 400,
      message:
        'error decoding patch: json: cannot unmarshal number into Go struct field ' +
        'jsonPatchOp.op of type string',
    });
  });

  it('tells unknown fields unless they are to be ignored', () => {
    const patch = [{ op: 'add', path: '/a', value: 1, why: 'so' }];
    expect(applyJsonPatch({}, patch, { fieldValidation: 'Strict' })).toMatchObject({
      strictErrors: ['json patch unknown field "[0].why"'],
    });
    expect(applyJsonPatch({}, patch, LENIENT)).toMatchObject({ strictErrors: [] });
  });

  it('takes 10,000 operations and no more', () => {
    const operation = { op: 'test', path: '/a', value: 1 };
    const most = Array.from({ length: 10_000 }, () => operation);
    expect(applyJsonPatch({ a: 1 }, most, LENIENT).ok).toBe(true);
    expect(applyJsonPatch({ a: 1 }, [...most, operation], LENIENT)).toMatchObject({
      code: 413,
      message: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('stops what would move a long list again and again', () => {
    const list = Array.from({ length: 100_000 }, () => 0);
    const [first, last] = ['/l/0', '/l/-'];
    const operation = { op: 'move', from: first, path: first };
    const turns = (count: number) => Array.from({ length: count }, () => operation);
    expect(applyJsonPatch({ l: list }, turns(1_000), LENIENT).ok).toBe(true);
    expect(applyJsonPatch({ l: list }, turns(1_001), LENIENT)).toMatchObject({ code: 413 });
    const behind = Array.from({ length: 10_000 }, () => ({ op: 'add', path: last, value: 0 }));
    expect(applyJsonPatch({ l: list }, behind, LENIENT).ok).toBe(true);
  });

  it('stops copies that would blow the document up', () => {
    const patch = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(applyJsonPatch({ a: ['x'.repeat(100)] }, patch, LENIENT)).toMatchObject({
      code: 422,
      why: expect.stringContaining('Unable to complete the copy') as string,
    });
  });

  it('keeps copies apart from what they were copied of', () => {
    const result = apply(
      { a: { b: {} } },
      { op: 'add', path: '/a/b/c', value: 1 },
      { op: 'copy', from: '/a', path: '/d' },
      { op: 'add', path: '/d/b/c', value: 2 },
      { op: 'add', path: '/a/b/e', value: 3 },
    );
    expect(valueOf(result)).toEqual({ a: { b: { c: 1, e: 3 } }, d: { b: { c: 2 } } });
  });

  it('gives up on patches that nest too deep', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as JsonValue;
    expect(apply({}, { op: 'add', path: '/a', value: deep })).toMatchObject({ code: 400 });
  });
});

describe('keys that objects inherit', () => {
  it('are keys like any other', () => {
    const result = apply(
      {},
      { op: 'add', path: '/__proto__', value: { polluted: 1 } },
      { op: 'add', path: '/constructor', value: 2 },
      { op: 'test', path: '/toString', value: null },
    );
    const value = valueOf(result);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('are not found where no key was set', () => {
    const operation = { op: 'add', path: '/constructor/prototype', value: 1 };
    expect(apply({}, operation)).toMatchObject({ code: 422 });
  });
});

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

describe('for any document', () => {
  const documents = fc.dictionary(fc.string(), json).map((one) => one as JsonValue);

  it('replacing it by a value gives the value', () => {
    fc.assert(
      fc.property(documents, documents, (document, value) => {
        const result = apply(document, { op: 'replace', path: '', value });
        expect(valueOf(result)).toBe(value);
      }),
    );
  });

  it('what was added is found there, and removing it gives the document back', () => {
    fc.assert(
      fc.property(documents, fc.string(), json, (document, key, value) => {
        const path = `/new ${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const before = JSON.stringify(document);
        const test = { op: 'test', path, value };
        const added = apply(document, { op: 'add', path, value }, test);
        const back = apply(valueOf(added), { op: 'remove', path });
        expect(JSON.stringify(valueOf(back))).toBe(before);
        expect(JSON.stringify(document)).toBe(before);
      }),
    );
  });
});
