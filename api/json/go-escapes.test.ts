import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GO_ESCAPES, isPrintable } from './go-escapes.ts';

/** As it reads in strconv: character by character. */
function simply(text: string): string {
  const shorts = new Map(
    Array.from('"\\\u0007\b\f\n\r\t\v').map((one, at) => [one, '"\\abfnrtv'[at] ?? '']),
  );
  return Array.from(text)
    .map((one) => {
      const short = shorts.get(one);
      if (short !== undefined) return `\\${short}`;
      if (isPrintable(one)) return one;
      const point = one.codePointAt(0) ?? 0;
      const [sign = '', digits = 0] =
        point < 0x80 ? ['x', 2] : point < 0x10000 ? ['u', 4] : ['U', 8];
      return `\\${sign}${point.toString(16).padStart(digits, '0')}`;
    })
    .join('');
}

const characters = fc.constantFrom(
  ...[
    'a',
    ' ',
    '"',
    '\\',
    '\n',
    '\u0007',
    '\u0001',
    '\u007f',
    '\u0080',
    'ä',
    '\u2028',
    '€',
    '\ufffe',
  ],
  ...['\ud800', '\udc00', '😀', '\u{e0001}', '\u{10ffff}'],
);

it('escapes each character as Go does, in texts of any length', () => {
  fc.assert(
    fc.property(
      fc.array(characters, { maxLength: 50 }).map((list) => list.join('')),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(1, 150),
      (text, any, times) => {
        const long = (text + any).repeat(times);
        expect(GO_ESCAPES.write(long)).toBe(simply(long));
      },
    ),
    { numRuns: 25 },
  );
});
