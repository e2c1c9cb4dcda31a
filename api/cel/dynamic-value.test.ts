import { expect, it } from 'vitest';
import { CelDouble, CelMap } from './value.ts';
import { dynamicValue } from './dynamic-value.ts';

it.each([
  [3, 3],
  [2n ** 63n - 1n, 2n ** 63n - 1n],
  [1.5, new CelDouble(1.5)],
  [2 ** 60, new CelDouble(2 ** 60)],
  ['3', '3'],
  [null, null],
])('%s of an object is %s in an expression', (data, value) => {
  expect(dynamicValue(data)).toEqual(value);
  const held = dynamicValue({ data });
  expect(held instanceof CelMap ? held.find('data') : undefined).toEqual(value);
});
