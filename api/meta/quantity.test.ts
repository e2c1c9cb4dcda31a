import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  type Quantity,
} from './quantity.ts';

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.quantity;
}

describe('the canonical text of an amount', () => {
  it.each([
    ['0', '0'],
    ['1000m', '1'],
    ['0.5Gi', '512Mi'],
    ['1.5', '1500m'],
    ['0.1', '100m'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1000Ki', '1000Ki'],
    ['0.0001Ki', '102400u'],
    ['12000000', '12M'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['1000e3', '1e6'],
    ['0.1n', '1n'],
    ['-0.5Gi', '-512Mi'],
    ['9Ei', '9223372036854775807'],
    ['12345678901234567890123', '12345678901234567890123'],
    ['1e-30', '1e-9'],
    ['.', '0'],
    ['1.5G', '1500M'],
    // Go's fast path keeps these as they are.
    ['+1', '+1'],
    ['1.500', '1.500'],
    ['01Gi', '01Gi'],
    // Beyond the last suffix Go loses the magnitude.
    ['1000E', '1'],
  ])('%s → %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  const wrongShape = /^quantities must match the regular expression/;
  it.each([
    ['', wrongShape],
    ['abc', wrongShape],
    ['1 ', wrongShape],
    ['1.2.3', wrongShape],
    ['--1', /unable to parse quantity's suffix/],
    ['1K', /unable to parse quantity's suffix/],
    ['1Mi3', /unable to parse quantity's suffix/],
    ['1ee3', /unable to parse quantity's suffix/],
    ['Pi', /unable to parse numeric part of quantity/],
  ])('%j is none', (text, why) => {
    const parsed = parseQuantity(text);
    expect(parsed.ok ? '' : parsed.why).toMatch(why);
  });

  it('takes white space around it, as JSON allows it', () => {
    expect(canonicalQuantity(' 1Gi ')).toBe('1Gi');
  });
});

describe('comparing', () => {
  it.each([
    ['1', '1000m', 0],
    ['1Gi', '1G', 1],
    ['-1', '1m', -1],
    ['-2', '-1', -1],
    ['0', '-1n', 1],
    ['999m', '1', -1],
    ['1e2000000000', '1', 1],
    ['-1e2000000000', '1', -1],
  ])('%s and %s', (a, b, sign) => {
    expect(Math.sign(compareQuantities(quantity(a), quantity(b)))).toBe(sign);
    expect(Math.sign(compareQuantities(quantity(b), quantity(a)))).toBe(sign === 0 ? 0 : -sign);
  });
});

describe('adding', () => {
  it.each([
    ['500m', '0.5', '1'],
    ['1Gi', '1Gi', '2Gi'],
    ['1Gi', '1', '1073741825'],
    ['0', '1Gi', '1Gi'],
    ['1', '-1', '0'],
    ['1.500', '0', '1500m'],
  ])('%s + %s = %s', (a, b, sum) => {
    expect(addQuantities(quantity(a), quantity(b)).text).toBe(sum);
  });

  it('does not take all memory for amounts worlds apart', () => {
    expect(addQuantities(quantity('1e3000000'), quantity('1')).text).toBe('1e3000000');
  });
});
