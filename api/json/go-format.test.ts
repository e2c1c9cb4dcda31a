import { describe, expect, it } from 'vitest';

import {
  compareGoStrings,
  formatGoText,
  formatGoValue,
  goJson,
  goQuote,
  goTypeOf,
} from './go-format.ts';

describe('goQuote', () => {
  it.each([
    ['plain', '"plain"'],
    ['a "b" \\', '"a \\"b\\" \\\\"'],
    ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\u0000\u007f', '"\\x00\\x7f"'],
    ['é世😀', '"é世😀"'],
    ['\u00a0\u200b', '"\\u00a0\\u200b"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ])('quotes %j as strconv.Quote does', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});

describe('formatGoValue', () => {
  it('sorts maps and spells null', () => {
    const value = { b: [1, 'x', null], a: { c: true }, '': 1.5, gone: undefined };
    expect(formatGoValue(value)).toBe('map[:1.5 a:map[c:true] b:[1 x <nil>]]');
  });

  it.each([
    [0, '0'],
    [1_000_000, '1000000'],
    [1e21, '1e+21'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-2.5, '-2.5'],
  ])('shows the number %d as %s', (number, text) => {
    expect(formatGoValue(number)).toBe(text);
  });
});

describe('formatGoText', () => {
  it('shows what is no string as a mistake', () => {
    expect(formatGoText('x')).toBe('x');
    expect(formatGoText(1)).toBe('%!s(int64=1)');
    expect(formatGoText(1.5)).toBe('%!s(float64=1.5)');
    expect(formatGoText(null)).toBe('%!s(<nil>)');
    expect(formatGoText({ a: [true] })).toBe('map[a:[%!s(bool=true)]]');
  });
});

it('names types as Go does', () => {
  const types = [undefined, null, [], {}, 1, 1.5, true, ''].map((one) => goTypeOf(one));
  expect(types).toEqual([
    '%!s(<nil>)',
    '%!s(<nil>)',
    '[]interface {}',
    'map[string]interface {}',
    'int64',
    'float64',
    'bool',
    'string',
  ]);
});

it('escapes JSON for HTML', () => {
  expect(goJson({ a: '<&>\u2028' })).toBe('{"a":"\\u003c\\u0026\\u003e\\u2028"}');
});

it('orders strings by their UTF-8 bytes', () => {
  const texts = ['😀', '\uffff', 'b', 'a', '', 'aa'];
  const bytes = (text: string): Buffer => Buffer.from(text);
  expect([...texts].sort(compareGoStrings)).toEqual(
    [...texts].sort((a, b) => Buffer.compare(bytes(a), bytes(b))),
  );
});
