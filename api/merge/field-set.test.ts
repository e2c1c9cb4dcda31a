import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  doesIntersect,
  fieldSetOf,
  hasPath,
  intersection,
  isEmptySet,
  isSubset,
  recursiveDifference,
  union,
  unionOfAll,
  type FieldSet,
} from './field-set.ts';
import { readFieldsV1, sortFields } from './fields-v1.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"a"}', 'k:{"name":"b"}', 'v:1', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 8 });

/** A set as the texts of its paths, to which arithmetic is held. */
function texts(set: FieldSet, known: readonly (readonly string[])[]): Set<string> {
  return new Set(known.filter((one) => hasPath(set, one)).map((one) => one.join(' ')));
}

describe('a field set', () => {
  it('adds, subtracts and intersects as sets of paths do', () => {
    fc.assert(
      fc.property(paths, paths, (one, other) => {
        const all = [...one, ...other];
        const [left, right] = [fieldSetOf(...one), fieldSetOf(...other)];
        const [lefts, rights] = [texts(left, all), texts(right, all)];
        expect(lefts).toEqual(new Set(one.map((path) => path.join(' '))));
        expect(texts(union(left, right), all)).toEqual(new Set([...lefts, ...rights]));
        const shared = [...lefts].filter((path) => rights.has(path));
        expect(texts(intersection(left, right), all)).toEqual(new Set(shared));
        expect(doesIntersect(left, right)).toBe(shared.length > 0);
        const rest = [...lefts].filter((path) => !rights.has(path));
        expect(texts(difference(left, right), all)).toEqual(new Set(rest));
        expect(isEmptySet(difference(left, right))).toBe(rest.length === 0);
        expect(isSubset(left, right)).toBe(rest.length === 0);
      }),
    );
  });

  it('subtracts a field with all that is within it when asked to', () => {
    fc.assert(
      fc.property(paths, paths, (one, other) => {
        const left = recursiveDifference(fieldSetOf(...one), fieldSetOf(...other));
        const covered = (path: readonly string[]): boolean =>
          other.some((above) => above.every((element, index) => path[index] === element));
        for (const path of one) expect(hasPath(left, path)).toBe(!covered(path));
      }),
    );
  });

  it('shares what does not change', () => {
    const set = fieldSetOf(['f:a'], ['f:b', 'f:c']);
    expect(union(set, fieldSetOf(['f:b', 'f:c']))).toBe(set);
    expect(difference(set, fieldSetOf(['f:x'], ['f:b']))).toBe(set);
  });
});

describe('unionOfAll', () => {
  it('is the union of one after another, and changes none', () => {
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 6 }), (all) => {
        const sets = all.map((one) => fieldSetOf(...one));
        const before = JSON.stringify(sets);
        const wanted = sets.reduce((grown, set) => union(grown, set), {});
        expect(unionOfAll(sets)).toEqual(wanted);
        expect(JSON.stringify(sets)).toBe(before);
      }),
    );
  });
});

describe('sortFields', () => {
  it('orders fields, keys, values and indices by what they say', () => {
    const wanted = [
      'f:B',
      'f:a',
      'k:{"n":2}',
      'k:{"n":10}',
      'k:{"n":"a"}',
      'v:9',
      'v:10',
      'v:"1"',
      'i:9',
      'i:10',
    ];
    const set = fieldSetOf(...[...wanted].reverse().map((element) => [element]));
    expect(Object.keys(sortFields(set))).toEqual(wanted);
  });

  it('says first that a field is in the set itself', () => {
    const set = fieldSetOf(['f:a', 'f:b'], ['f:a']);
    expect(JSON.stringify(sortFields(set))).toBe('{"f:a":{".":{},"f:b":{}}}');
  });

  it('gives what is in order as it is', () => {
    const set = sortFields(fieldSetOf(['f:a', 'f:b'], ['f:a']));
    expect(sortFields(set)).toBe(set);
  });
});

describe('readFieldsV1', () => {
  it('gives what is canonical as it is', () => {
    const json = { 'f:a': { '.': {}, 'k:{"name":"x"}': { 'f:b': {} } } };
    expect(readFieldsV1(json)).toBe(json);
  });

  it('brings the keys of items into their form', () => {
    const read = readFieldsV1({ 'k:{ "b": 1.0, "a": "<" }': {}, 'v: "x"': null });
    expect(read).toEqual({ 'k:{"a":"\\u003c","b":1}': {}, 'v:"x"': {} });
  });

  it('leaves out what it does not know', () => {
    expect(readFieldsV1({ 'x:new': { 'f:a': {} }, 'f:b': { 'y:new': {} } })).toEqual({ 'f:b': {} });
  });

  it.each([
    [{ a: {} }],
    [{ 'k:[': {} }],
    [{ 'i:x': {} }],
    [{ 'f:a': 1 }],
    ['text'],
    [{ v: {} }],
    // As text they would be Infinity, and the set could not be read again.
    [{ 'v:1e999': {} }],
    [{ 'k:{"a":-1e999}': {} }],
  ])('refuses %j', (json) => {
    expect(readFieldsV1(json)).toBeUndefined();
  });

  it('refuses what is too deep', () => {
    let json = {};
    for (let depth = 0; depth < 5_000; depth++) json = { 'f:a': json };
    expect(readFieldsV1(json)).toBeUndefined();
  });

  it.each([5_000, 200_000])('refuses a value that is nested %i deep in its text', (depth) => {
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    expect(readFieldsV1({ [`v:${nested}`]: {} })).toBeUndefined();
    expect(readFieldsV1({ [`k:{"a":${nested}}`]: {} })).toBeUndefined();
  });
});
