/** Laws of path elements: one canonical text for each, a total order, and how people see them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/json.ts';
import {
  canonicalElement,
  compareElements,
  isFieldElement,
  isKeyElement,
  keyElement,
  showElement,
  sortedElements,
  valueElement,
} from './path-element.ts';

const scalar = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(1.5, 1e21, 1e-7, true, false, null, '<&>', '"\\', '\n', '\u2028', '\u0001'),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('a', 'b'), scalar) },
);
const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { minKeys: 1 });
const key = fields.map((one) => keyElement(Object.entries(one)));
const element = fc.oneof(
  fc.string({ maxLength: 3 }).map((name) => `f:${name}`),
  key,
  value.map(valueElement),
  fc.nat(20).map((index) => `i:${String(index)}`),
);

describe('the canonical text of an element', () => {
  it('is the same for every way to write it', () => {
    fc.assert(
      fc.property(fields, (one) => {
        const canonical = keyElement(Object.entries(one));
        expect(keyElement(Object.entries(one).reverse())).toBe(canonical);
        const spaced = JSON.stringify(Object.fromEntries(Object.entries(one).reverse()), null, 1);
        expect(canonicalElement(`k:${spaced}`)).toBe(canonical);
        expect(canonicalElement(canonical)).toBe(canonical);
        expect(JSON.parse(canonical.slice(2))).toEqual(JSON.parse(JSON.stringify(one)));
      }),
    );
  });

  it.each([
    ['f:', 'f:'],
    ['f:a:b', 'f:a:b'],
    ['k:{"name":"a b/c"}', 'k:{"name":"a b/c"}'],
    ['k:{"port": 80, "name": "x"}', 'k:{"name":"x","port":80}'],
    ['k:{"a":01}', null],
    ['k:null', 'k:{}'],
    ['k:[]', null],
    ['k:"a"', null],
    ['k:{', null],
    ['v:"<"', 'v:"\\u003c"'],
    ['v:1e7', 'v:10000000'],
    ['v:1e21', 'v:1e+21'],
    ['v:0.0000001', 'v:1e-07'],
    ['v: true', 'v:true'],
    ['v:[1, {"b":2,"a":"\\t"}]', 'v:[1,{"a":"\\t","b":2}]'],
    ['v:"\\r\\n\\\\\\u0001"', 'v:"\\r\\n\\\\\\u0001"'],
    ['v:', null],
    ['i:007', 'i:7'],
    ['i:+1', 'i:1'],
    ['i:-3', 'i:-3'],
    ['i:1.5', null],
    ['i:', null],
    [`i:${'1'.repeat(101)}`, null],
    ['x:whatever', undefined],
    ['', null],
    ['f', null],
    ['field', null],
  ] as [string, string | null | undefined][])('of %s is %s', (text, canonical) => {
    expect(canonicalElement(text)).toBe(canonical);
  });

  it('tells kinds apart', () => {
    expect(['f:a', 'k:{}', 'v:1', 'i:0'].map(isFieldElement)).toEqual([true, false, false, false]);
    expect(['f:a', 'k:{}', 'v:1', 'i:0'].map(isKeyElement)).toEqual([false, true, false, false]);
  });
});

describe('the order of elements', () => {
  it('is total, and equal elements have equal texts', () => {
    fc.assert(
      fc.property(element, element, element, (a, b, c) => {
        const [ab, bc, ac] = [compareElements(a, b), compareElements(b, c), compareElements(a, c)];
        expect(Math.sign(ab) + Math.sign(compareElements(b, a))).toBe(0);
        expect(ab === 0).toBe(a === b);
        if (ab < 0 && bc < 0) expect(ac).toBeLessThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is that of what they say', () => {
    const inOrder = [
      ...['f:', 'f:B', 'f:a', 'f:b'],
      ...['k:{}', 'k:{"a":2}', 'k:{"a":10}', 'k:{"a":"1"}', 'k:{"a":"1","b":0}', 'k:{"a":"2"}'],
      ...['k:{"a":true}', 'k:{"b":1}', 'k:{"b":"\\u003c"}', 'k:{"b":"a"}'],
      ...['v:-1', 'v:2', 'v:10', 'v:"1"', 'v:"a"', 'v:false', 'v:true', 'v:[1]', 'v:[1,2]'],
      ...['v:[2]', 'v:{"a":1}', 'v:{"a":2}', 'v:null', 'i:-1', 'i:2', 'i:10'],
    ];
    expect([...inOrder].reverse().sort(compareElements)).toEqual(inOrder);
  });
});

describe('many elements', () => {
  const mixed = [
    ...['k:{"a":"z"}', 'k:{"a":1}', 'k:{"b":"a"}', 'k:{"a":1,"b":2}', 'v:10', 'v:9', 'v:"b"'],
    ...['i:10', 'i:9', 'f:b', 'f:a', 'v:true', 'v:"a"', 'i:1', 'k:{"a":10}', 'k:{"a":9}', 'f:c'],
  ];

  it('are in the order of what they say, however many there are', () => {
    const sorted = [
      ...['f:a', 'f:b', 'f:c', 'k:{"a":1}', 'k:{"a":1,"b":2}', 'k:{"a":9}', 'k:{"a":10}'],
      ...['k:{"a":"z"}', 'k:{"b":"a"}', 'v:9', 'v:10', 'v:"a"', 'v:"b"', 'v:true'],
      ...['i:1', 'i:9', 'i:10'],
    ];
    for (const given of [mixed, [...mixed].reverse()]) {
      expect(sortedElements(given)).toEqual(sorted);
      expect([...given].sort(compareElements)).toEqual(sorted);
      const few = given.slice(0, 7);
      expect(sortedElements(few)).toEqual(sorted.filter((one) => few.includes(one)));
    }
  });
});

describe('what people see of an element', () => {
  it.each([
    ['f:spec', '.spec'],
    ['k:{"name":"a","port":80}', '[name="a",port=80]'],
    ['k:{"n":1234567}', '[n=1.234567e+06]'],
    ['v:"a"', '[="a"]'],
    ['v:true', '[=true]'],
    ['v:null', '[=null]'],
    ['v:[1,"b"]', '[=[1,"b"]]'],
    ['v:{"a":1,"b":"c"}', '[=a=1b="c"]'],
    ['i:3', '[3]'],
  ])('%s is %s', (text, shown) => {
    expect(showElement(text)).toBe(shown);
  });

  it('shows whole numbers as it is told', () => {
    expect(showElement('k:{"n":1234567}', String)).toBe('[n=1234567]');
    expect(showElement('v:1234567', String)).toBe('[=1234567]');
  });
});

it.each([
  ['k:{"\\/":"a"}', 'k:{"/":"a"}'],
  ['v:"a\\u0022b"', 'v:"a\\"b"'],
  ['v:"\\u005c"', 'v:"\\\\"'],
])('%s has no escapes that it does not need, and the short ones', (text, canonical) => {
  expect(canonicalElement(text)).toBe(canonical);
});

it('a key of many fields sorts them by their bytes', () => {
  const unsorted: JsonObject = { b: 1, ä: 2, a: 3, Z: 4 };
  expect(keyElement(Object.entries(unsorted) as [string, JsonValue][])).toBe(
    'k:{"Z":4,"a":3,"b":1,"ä":2}',
  );
});
