import { expect, it } from 'vitest';
import { parseSelectorMap } from './selector-map.ts';

it.each([
  ['', {}],
  ['a=b', { a: 'b' }],
  [' a = b , c= ', { a: 'b', c: '' }],
  ['a=1,a=2', { a: '2' }],
  ['example.com/a=b', { 'example.com/a': 'b' }],
])('%j selects %j', (text, labels) => {
  const parsed = parseSelectorMap(text);
  expect(parsed.ok && Object.fromEntries(parsed.labels)).toEqual(labels);
});

it.each([
  ['a', 'invalid selector: [a]'],
  ['a=b=c', 'invalid selector: [a b c]'],
  ['a=b,', 'invalid selector: []'],
  ['=b', /^<nil>: Invalid value: "": name part must be non-empty; name part must consist of/],
  ['a b=c', /^<nil>: Invalid value: "a b": name part must consist of/],
  ['a=b c', /^\[a\]: Invalid value: "b c": a valid label must be/],
])('%j is none', (text, why) => {
  const parsed = parseSelectorMap(text);
  expect(parsed.ok ? '' : parsed.why).toMatch(why);
});
