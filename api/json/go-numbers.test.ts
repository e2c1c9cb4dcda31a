/** Whole numbers as strconv reads them, and digits without end that are never read. */
import { describe, expect, it } from 'vitest';

import {
  formatGoFloat,
  formatGoNumber,
  parseGoFloat,
  parseInt64,
  parseUint64,
  wholeNumber,
} from './go-numbers.ts';

it.each([
  [0.5, '0.5'],
  [1e-4, '0.0001'],
  [1e-5, '1e-05'],
  [123456.5, '123456.5'],
  [1234567.5, '1.2345675e+06'],
  [-1e21, '-1e+21'],
])('prints %d as Go does', (value, text) => {
  expect(formatGoNumber(value)).toBe(text);
});

it('prints whole numbers in full, unless they are taken for others', () => {
  expect(formatGoNumber(1234567)).toBe('1234567');
  expect(formatGoNumber(2n ** 62n)).toBe('4611686018427387904');
  expect(formatGoFloat(1234567)).toBe('1.234567e+06');
});

/** As strconv.ParseFloat of Go 1.26 reads them; undefined where it has an error. */
it.each<readonly [string, number | undefined]>([
  ['1_000', 1000],
  ['1_23.50_0_0e+1_2', 1.235e14],
  ['1__0', undefined],
  ['_1', undefined],
  ['1_', undefined],
  ['1_.5', undefined],
  ['1._5', undefined],
  ['0x1p-2', 0.25],
  ['0X1.8P3', 12],
  ['-0x1.8p3', -12],
  ['0x1', undefined],
  ['0x_1p4', 16],
  ['0x1_0p4', 256],
  ['0x.p1', undefined],
  ['0x.8p1', 1],
  ['0x1p1_0', 1024],
  ['0x1p2000', undefined],
  ['0x1p-2000', 0],
  ['0x0p5', 0],
  ['0x1.fffffffffffff8p0', 2],
  ['0x1.fffffffffffff7fffffffffffp0', 1.9999999999999998],
  ['0x1.00000000000008p0', 1],
  ['0x1.000000000000080000000000000001p0', 1.0000000000000002],
  ['0x1p-1074', 5e-324],
  ['0x1p-1075', 0],
  ['0x1.8p-1075', 5e-324],
  ['0x10000000000000000000000p0', 2 ** 88],
  ['inf', Infinity],
  ['+Inf', Infinity],
  ['-infinity', -Infinity],
  ['nan', NaN],
  ['+nan', undefined],
  ['1e400', undefined],
  ['1e-400', 0],
  ['.5', 0.5],
  ['5.', 5],
  ['.', undefined],
  ['', undefined],
  ['+', undefined],
  ['e5', undefined],
  ['1e', undefined],
  ['1e+', undefined],
  ['0e999999999', 0],
  ['0b1', undefined],
  [' 1', undefined],
  ['1f', undefined],
])('%j', (text, number) => {
  expect(parseGoFloat(text)).toBe(number);
});

const ZEROS = '0'.repeat(1_000);
const SYNTAX = 'invalid syntax';
const RANGE = 'value out of range';

describe('parseInt64', () => {
  it.each([
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['+7', 7n],
    ['-0', 0n],
    [`-${ZEROS}12`, -12n],
    ['9223372036854775808', RANGE],
    ['-9223372036854775809', RANGE],
    ['1'.repeat(401), RANGE],
    [`${ZEROS}1${'0'.repeat(19)}`, RANGE],
    ['', SYNTAX],
    ['+', SYNTAX],
    ['1_000', SYNTAX],
    ['0x1', SYNTAX],
    [' 1', SYNTAX],
    ['١', SYNTAX],
  ])('%s', (text, expected) => {
    expect(parseInt64(text)).toBe(expected);
  });
});

describe('parseUint64', () => {
  it.each([
    ['18446744073709551615', 2n ** 64n - 1n],
    [`${ZEROS}5`, 5n],
    ['18446744073709551616', RANGE],
    ['1'.repeat(41), RANGE],
    ['-1', SYNTAX],
    ['+1', SYNTAX],
    ['', SYNTAX],
  ])('%s', (text, expected) => {
    expect(parseUint64(text)).toBe(expected);
  });
});

describe('wholeNumber', () => {
  it.each([
    ['0x00ff', 255n],
    [`0o${ZEROS}17`, 15n],
    [`0b${'1'.repeat(21)}`, undefined],
    ['-12', -12n],
    ['', 0n],
  ])('%s', (literal, expected) => {
    expect(wholeNumber(literal)).toBe(expected);
  });
});

it('counts digits instead of reading them', () => {
  const read: number[] = [];
  const real = globalThis.BigInt;
  globalThis.BigInt = new Proxy(real, {
    apply(make, _this, [text]: [string]) {
      read.push(text.length);
      return make(text);
    },
  });
  try {
    parseInt64('1'.repeat(1_000_000));
    parseUint64('1'.repeat(1_000_000));
    wholeNumber(`0x${'f'.repeat(1_000_000)}`, 64);
  } finally {
    globalThis.BigInt = real;
  }
  expect(read).toEqual([]);
});
