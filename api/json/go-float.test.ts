import { expect, it } from 'vitest';

import { formatGoFloat, formatGoNumber } from './go-float.ts';

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
