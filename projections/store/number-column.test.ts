import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NumberColumn } from './number-column.ts';

it('is what an array would be, in blocks that never move', () => {
  const numbers = fc.array(fc.nat(), { maxLength: 30, minLength: 1 });
  const places = fc.tuple(fc.nat(20_000), fc.nat(20_000));
  fc.assert(
    fc.property(numbers, fc.nat(20_000), fc.array(places), (some, length, ranges) => {
      const made: number[] = [];
      const column = new NumberColumn((size) => {
        made.push(size);
        return new Float64Array(size);
      });
      const array = Array.from({ length }, (_, nth) => (some[nth % some.length] ?? 0) + nth);
      for (const number of array) column.push(number);
      expect(column.length).toBe(length);
      // Nothing was made to be copied into.
      expect(made.reduce((sum, size) => sum + size, 0)).toBeLessThan(length + 4_097);
      for (const [one, other] of ranges) {
        const from = Math.min(one, length);
        expect([...column.from(from)]).toEqual(array.slice(from));
        expect([...column.from(from, other)]).toEqual(array.slice(from, other));
        if (one < length) expect(column.at(one)).toBe(array[one]);
      }
    }),
    { numRuns: 30 },
  );
});
