import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

it('forgets what was asked for longest ago', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
  expect([...map]).toEqual([
    ['a', 1],
    ['c', 3],
  ]);
  map.delete('a');
  expect([map.get('a'), map.has('a'), map.has('c'), map.size]).toEqual([undefined, false, true, 1]);
});
