import { expect, test } from 'vitest';
import { keyArrivals } from './key-arrivals.ts';
import type { TopicRecord } from './record-batch.ts';

/** `a=1` and, for an end, `a=`. */
function arrivals(text: string, destroyed: readonly string[] = []) {
  const records = text.split(' ').map((one): TopicRecord => {
    const [key = '', value = ''] = one.split('=');
    return { offset: 0, isForeignBecause: undefined, key, value: Buffer.from(value), headers: {} };
  });
  const { gone, back, live } = keyArrivals(records, new Set(destroyed));
  return { gone, back, live: live.map(({ key, value }) => `${key}=${value.toString()}`) };
}

test('the newest of each key counts', () => {
  expect(arrivals('a=1 b=1 a=2')).toEqual({ gone: [], back: [], live: ['a=2', 'b=1'] });
});

test('what was destroyed is gone, whatever stood before', () => {
  expect(arrivals('a=1 b=1 a=')).toEqual({ gone: ['a'], back: [], live: ['b=1'] });
});

test('what comes behind its end is destroyed once more, unless that was done already', () => {
  expect(arrivals('a= a=2 b=1')).toEqual({ gone: ['a'], back: ['a'], live: ['b=1'] });
  expect(arrivals('a=2 b=1', ['a'])).toEqual({ gone: [], back: ['a'], live: ['b=1'] });
  expect(arrivals('a= a=2 a=')).toEqual({ gone: ['a'], back: [], live: [] });
});
