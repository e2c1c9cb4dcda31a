import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DerReader, TAG } from './der-reader.ts';
import { derElement, derObjectIdentifier, derTime } from './der-writer.ts';

const SEED = { seed: 7 };

it('writes elements of any length that are read again', () => {
  const lengths = fc.oneof(fc.nat(300), fc.constantFrom(0x7f, 0x80, 0xff, 0x100, 0xffff));
  fc.assert(
    fc.property(lengths, (length) => {
      const reader = new DerReader(derElement(TAG.octetString, Buffer.alloc(length, 1)));
      expect(reader.read(TAG.octetString)).toHaveLength(length);
      expect(reader.isEmpty).toBe(true);
    }),
    SEED,
  );
});

it('writes object identifiers that are read again', () => {
  const rest = fc.array(fc.nat(2 ** 28 - 1), { maxLength: 8 });
  fc.assert(
    fc.property(fc.nat(2), fc.nat(39), rest, (first, second, others) => {
      const text = [first, second, ...others].join('.');
      expect(new DerReader(derObjectIdentifier(text)).readObjectIdentifier()).toBe(text);
    }),
    SEED,
  );
});

it('writes times of two digits until 2049, and of four behind it', () => {
  const shown = (time: number) => derTime(time).subarray(2).toString();
  expect(shown(Date.UTC(2049, 11, 31, 23, 59, 59, 999))).toBe('491231235959Z');
  expect(shown(Date.UTC(2050, 0, 1))).toBe('20500101000000Z');
});
