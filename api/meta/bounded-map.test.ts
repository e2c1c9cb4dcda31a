import { expect, it, test } from 'vitest';

import { BoundedMap, ExpiringMap } from './bounded-map.ts';

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

it('holds so many bytes and no more, whatever the number of entries', () => {
  const forgotten: string[] = [];
  const map = new BoundedMap<string, string>(1_000, {
    bytesMax: 160,
    bytesOf: (key, value) => key.length + value.length,
    forgotten: (value) => forgotten.push(value.slice(0, 2)),
  });
  for (let at = 0; at < 100; at += 1) map.set(`k${String(at)}`, `v${String(at)}...`);
  expect(map.bytes).toBeLessThanOrEqual(160);
  expect(map.size).toBeGreaterThan(10);
  expect(map.get('k99')).toBe('v99...');
  const { size } = map;
  map.set('large', 'x'.repeat(20));
  expect([map.has('large'), map.size, forgotten.at(-1)]).toEqual([false, size, 'xx']);
  for (const [key] of [...map]) map.delete(key);
  expect(map.bytes).toBe(0);
});

it('counts the bytes of keys, and does not count an entry twice', () => {
  const map = new BoundedMap<string, number>(1_000_000, { bytesMax: 1 << 20 });
  for (let at = 0; at < 10_000; at += 1) map.set(`${String(at)}${'x'.repeat(1_000)}`, at);
  expect(map.bytes).toBeLessThanOrEqual(1 << 20);
  expect(map.size).toBeLessThan(600);
  const { bytes } = map;
  map.set(`9999${'x'.repeat(1_000)}`, 0);
  expect(map.bytes).toBe(bytes);
  map.set('y'.repeat(1 << 18), 1);
  expect(map.bytes).toBe(bytes);
});

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

test('a clock that is set back keeps nothing from then on that was remembered by the wrong time', () => {
  const { time, map } = given(10);
  time.now += 3_600_000;
  map.set('a', 1, 50);
  time.now -= 3_600_000;
  expect(map.get('a')).toBeUndefined();
  map.set('a', 2, 50);
  time.now += 49;
  expect(map.get('a')).toBe(2);
});
