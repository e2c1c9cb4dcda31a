import { expect, test } from 'vitest';
import { ExpiringMap } from './expiring-map.ts';

function given(sizeMax: number) {
  const time = { now: 1_000 };
  return { time, map: new ExpiringMap<string, number>(sizeMax, { now: () => time.now }) };
}

test('a value counts as long as was said, and not a moment longer', () => {
  const { time, map } = given(10);
  map.set('a', 1, 50);
  map.set('b', 2, 100);
  time.now += 49;
  expect(map.get('a')).toBe(1);
  time.now += 1;
  expect(map.get('a')).toBeUndefined();
  expect(map.get('b')).toBe(2);
});

test('what is to count for no time is not remembered, and takes nothing away', () => {
  const { map } = given(10);
  map.set('a', 1, 50);
  map.set('a', 2, 0);
  expect(map.get('a')).toBe(1);
});

test('of too many the one goes that was used longest ago', () => {
  const { map } = given(2);
  map.set('a', 1, 50);
  map.set('b', 2, 50);
  map.get('a');
  map.set('c', 3, 50);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([1, undefined, 3]);
});
