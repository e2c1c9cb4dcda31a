import { array, assert, constantFrom, property, uniqueArray } from 'fast-check';
import { expect, it } from 'vitest';
import { RowSlots } from './row-slots.ts';

it('has rows that come shown by the elements of those that have gone', () => {
  const slots = new RowSlots();
  expect(slots.of(['a', 'b', 'c'])).toEqual([1, 2, 3]);
  expect(slots.of(['c', 'd', 'e'])).toEqual([3, 1, 2]);
  expect(slots.of(['e'])).toEqual([2]);
  expect(slots.of(['f', 'e'])).toEqual([4, 2]);
});

it('gives the element that has the focus to no other row', () => {
  const slots = new RowSlots();
  slots.of(['a', 'b']);
  expect(slots.of(['c', 'd'], 2)).toEqual([1, 3]);
  expect(slots.of(['d', 'c'], 3)).toEqual([3, 1]);
});

it('whatever comes and goes, each row has an element of its own, and keeps it while it stays', () => {
  const keys = uniqueArray(constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'));
  assert(
    property(array(keys), (frames) => {
      const slots = new RowSlots();
      let before = new Map<string, number>();
      for (const frame of frames) {
        const given = slots.of(frame);
        expect(new Set(given).size).toBe(frame.length);
        const now = new Map(frame.map((key, at) => [key, given[at] ?? 0]));
        for (const [key, slot] of now) expect(slot).toBe(before.get(key) ?? slot);
        before = now;
      }
    }),
  );
});
