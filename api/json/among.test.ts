import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstNamed, isAmong } from './among.ts';

it('says what a walk through the list says, of short and of long lists', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 60 }), fc.nat(50), (list, item) => {
      const named = list.map((one, at) => ({ name: String(one), at }));
      for (const _ of ['first', 'again']) {
        expect(isAmong(list, item)).toBe(list.includes(item));
        expect(firstNamed(named, String(item))).toBe(
          named.find(({ name }) => name === String(item)),
        );
      }
    }),
  );
});
