/** Whole numbers as strconv reads them, and digits without end that are never read. */
import { describe, expect, it } from 'vitest';
import { parseInt64, parseUint64, wholeNumber } from './whole-number.ts';

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
