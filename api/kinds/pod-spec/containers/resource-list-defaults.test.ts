/** Amounts finer than a milli are rounded up, away from zero; others stay as they are spelled. */
import { describe, expect, it } from 'vitest';
import { parseQuantity, roundedUpToMilli } from './resource-list-defaults.ts';

describe('rounding up to milli', () => {
  it.each([
    ['100u', '1m'],
    ['1500u', '2m'],
    ['-1500u', '-2m'],
    ['0.0001', '1m'],
    ['1e-4', '1e-3'],
    ['1.0001Ki', '1024103m'],
  ])('makes %s %s', (amount, rounded) => {
    expect(roundedUpToMilli(amount)).toBe(rounded);
  });

  it.each(['0', '1', '100m', '1.5Gi', '1e3', '12E', 'no amount', '', '1e999999999'])(
    'leaves %j alone',
    (amount) => {
      expect(roundedUpToMilli(amount)).toBe(amount);
    },
  );
});

describe('nanos', () => {
  it('compare amounts that are spelled differently', () => {
    expect(parseQuantity('1Ki')?.nanos).toBe(parseQuantity('1.024k')?.nanos);
    expect(parseQuantity('1n')?.nanos).toBe(1n);
  });

  it('are none of what is no amount', () => {
    expect(parseQuantity('much')).toBeUndefined();
  });
});
