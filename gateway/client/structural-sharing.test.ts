import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shared } from './structural-sharing.ts';

it('keeps what is repeated, and changes nothing else', () => {
  const before = { a: { b: 1 }, list: [{ name: 'x' }, { name: 'y' }] };
  const after = shared(before, { a: { b: 1 }, list: [{ name: 'x' }, { name: 'z' }] });
  expect(after).toEqual({ a: { b: 1 }, list: [{ name: 'x' }, { name: 'z' }] });
  expect(after.a).toBe(before.a);
  expect(after.list[0]).toBe(before.list[0]);
  expect(after.list).not.toBe(before.list);
});

it('tells the two zeros of JSON apart', () => {
  expect(shared({ a: [-0] }, { a: [0] })).toEqual({ a: [0] });
});

it('equals the newer value, whatever both are; and is the older one where they are equal', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (earlier, later) => {
      const before: unknown = JSON.parse(earlier);
      const after: unknown = JSON.parse(later);
      expect(shared(before, after)).toEqual(after);
      const copy: unknown = JSON.parse(earlier);
      const again = shared(before, copy);
      expect(again).toEqual(copy);
      if (typeof before === 'object' && before !== null) expect(again).toBe(before);
    }),
  );
});
