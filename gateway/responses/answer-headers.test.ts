import { describe, expect, it } from 'vitest';

import { warningHeaders } from './answer-headers.ts';

const decoded = (header: string): string => Buffer.from(header, 'latin1').toString();

describe('warnings', () => {
  it('are quoted', () => {
    expect(warningHeaders(['plain', 'a "b" \\c'])).toEqual([
      '299 - "plain"',
      '299 - "a \\"b\\" \\\\c"',
    ]);
  });

  it('are bytes of UTF-8', () => {
    const [header = ''] = warningHeaders(['поле "é" 😀']);
    expect(/^[\x20-\x7e\x80-\xff]*$/.test(header)).toBe(true);
    expect(decoded(header)).toBe('299 - "поле \\"é\\" 😀"');
  });

  it('without words, or with what may not stand in a header, are left out', () => {
    expect(warningHeaders(['', 'a\nb', 'a\r\nX-Evil: 1', 'a\u0000', 'a\u0085', 'good'])).toEqual([
      '299 - "good"',
    ]);
  });

  it('may be 4096 characters together', () => {
    const whole = ['a'.repeat(4_000), 'é'.repeat(96)];
    expect(
      warningHeaders(whole)
        .map(decoded)
        .map((one) => one.length),
    ).toEqual([4_008, 104]);
  });

  it('are each cut to 256 when they are more, and none more than 4096 together', () => {
    const many = Array.from(
      { length: 100 },
      (_, i) => `${String(i).padStart(3, '0')}${'é'.repeat(300)}`,
    );
    const cut = warningHeaders(many).map(decoded);
    expect(cut).toHaveLength(16);
    expect(cut[0]).toBe(`299 - "000${'é'.repeat(253)}"`);
    expect(warningHeaders(['short', 'x'.repeat(5_000)])).toEqual([
      '299 - "short"',
      `299 - "${'x'.repeat(256)}"`,
    ]);
  });
});
