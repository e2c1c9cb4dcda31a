import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/json.ts';
import { showBoxed, showBoxedSyntax, showNumber, showTypeOf } from './show-value.ts';
import { compareValues } from './value-order.ts';

const BIG = 9_223_372_036_854_775_807n;

describe('the order of values', () => {
  const inOrder: JsonValue[] = [
    ...[-BIG - 1n, -2, 0, 0.5, 1, Number.MAX_SAFE_INTEGER, BIG - 1n, BIG, 1e300],
    ...['', 'B', 'a', 'aa', '\u{ff61}', '\u{1f600}'],
    ...[false, true],
    ...[[], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5], [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]],
    ...[[1], [1, 2], [2]],
    ...[{}, { a: 1 }, { a: 1, b: 0 }, { a: 2 }, { b: 0 }],
    null,
  ];

  it('is of numbers, texts, booleans, lists, objects and null', () => {
    for (const [at, left] of inOrder.entries()) {
      for (const [where, right] of inOrder.entries()) {
        expect(Math.sign(compareValues(left, right))).toBe(Math.sign(at - where));
      }
    }
  });

  it('takes an int64 for a double beside a double', () => {
    expect(compareValues(BIG, 2 ** 63)).toBe(0);
    expect(compareValues(2 ** 63, BIG - 1n)).toBe(0);
    expect(compareValues(BIG, 5)).toBe(1);
    expect(compareValues(5n, 5)).toBe(0);
  });
});

describe('a value in a message', () => {
  it.each([
    [0, '0'],
    [100_000, '100000'],
    [999_999, '999999'],
    [1_000_000, '1e+06'],
    [-1_234_567, '-1.234567e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1e21, '1e+21'],
    [1e100, '1e+100'],
    [BIG, '9.223372036854776e+18'],
  ])('shows the number %s as %s', (number, text) => {
    expect(showNumber(number)).toBe(text);
  });

  it.each([
    [null, '&{<nil>}', '&value.valueUnstructured{Value:interface {}(nil)}', '<nil>'],
    [1.5, '&{1.5}', '&value.valueUnstructured{Value:1.5}', 'float64'],
    [true, '&{true}', '&value.valueUnstructured{Value:true}', 'bool'],
    ['a"', '&{a"}', '&value.valueUnstructured{Value:"a\\""}', 'string'],
    [
      [1, 'a'],
      '&{[1 a]}',
      '&value.valueUnstructured{Value:[]interface {}{1, "a"}}',
      '[]interface {}',
    ],
    [
      { b: null, a: [] },
      '&{map[a:[] b:<nil>]}',
      '&value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{}, "b":interface {}(nil)}}',
      'map[string]interface {}',
    ],
  ] as [JsonValue, string, string, string][])(
    'shows %j as Go does',
    (value, plain, syntax, type) => {
      expect([showBoxed(value), showBoxedSyntax(value), showTypeOf(value)]).toEqual([
        ...[plain, syntax, type],
      ]);
    },
  );
});
