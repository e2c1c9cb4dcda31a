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

it('equals the newer value, whatever both are; and is the older one where they are equal', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      expect(shared(before, after)).toEqual(after);
      const copy: unknown = JSON.parse(JSON.stringify(before));
      const again = shared(before, copy);
      expect(again).toEqual(copy);
      if (typeof before === 'object' && before !== null) expect(again).toBe(before);
    }),
  );
});
