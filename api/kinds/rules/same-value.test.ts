import { describe, expect, it } from 'vitest';
import { sameMap, sameValue } from './same-value.ts';

describe('sameValue', () => {
  it.each([
    [undefined, null],
    [undefined, []],
    [null, []],
    [{ a: 1 }, { a: 1, b: null }],
    [{ a: 1 }, { a: 1, b: [] }],
    [{ a: [{ b: 'c' }] }, { a: [{ b: 'c' }] }],
    [0, 0],
  ])('takes %j and %j for the same, either way', (a, b) => {
    expect(sameValue(a, b)).toBe(true);
    expect(sameValue(b, a)).toBe(true);
  });

  it.each([
    [undefined, {}],
    [undefined, ''],
    [undefined, 0],
    [undefined, false],
    [{}, []],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: {} }],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    ['1', 1],
  ])('tells %j from %j, either way', (a, b) => {
    expect(sameValue(a, b)).toBe(false);
    expect(sameValue(b, a)).toBe(false);
  });

  it('looks at what an object has itself, whatever its key is called', () => {
    const given = JSON.parse('{"__proto__": {"a": 1}}') as { a: number };
    expect(sameValue(given, {})).toBe(false);
    expect(sameValue({}, given)).toBe(false);
    expect(sameValue({ constructor: 'a' }, {})).toBe(false);
  });
});

describe('sameMap', () => {
  it('takes an empty map for none', () => {
    expect(sameMap(undefined, {})).toBe(true);
    expect(sameMap({}, null)).toBe(true);
    expect(sameMap({ a: '' }, {})).toBe(false);
  });
});
