import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sortedInParts } from './sorted-in-parts.ts';

it('sorts as one call does, in any number of parts', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 3_000 }),
      fc.constantFrom(0, 1, 4_096, 4_097, 9_000, 20_000),
      (seed, length) => {
        // Many are equal, which tells whether they keep their order.
        const items = Array.from({ length }, (_, at) => ({ key: (at * (seed + 7)) % 1_009, at }));
        const compare = (one: { key: number }, other: { key: number }): number =>
          one.key - other.key;
        const parts = sortedInParts([...items], compare);
        let pauses = 0;
        for (let part = parts.next(); ; part = parts.next()) {
          if (part.done !== true) {
            pauses += 1;
            continue;
          }
          expect(part.value).toEqual(items.sort(compare));
          break;
        }
        expect(pauses).toBeGreaterThanOrEqual(length <= 4_096 ? 0 : Math.floor(length / 4_096));
      },
    ),
    { numRuns: 40 },
  );
});
