import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cannotKeep, lossyInteger, losesDigits } from './exact-integers.ts';

describe('a whole number', () => {
  it.each([
    ['9007199254740991', false],
    ['9007199254740992', false],
    ['9007199254740993', true],
    ['-9007199254740993', true],
    ['1700000000000000000', false],
    ['1700000000000000001', true],
    ['4611686018427387904', true],
    ['9223372036854775807', true],
    ['-9223372036854775808', true],
    // No int64, so a double to Go as well.
    ['9223372036854775808', false],
    ['123456789012345678901234567890', false],
    ['1234567890123456.5', false],
  ])('%s loses digits: %s', (digits, loses) => {
    expect(losesDigits(digits)).toBe(loses);
  });

  it('loses none when it is written again as it was', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(int64, (value) => {
        const text = `{"a":[1,${String(value)}]}`;
        const isSame = JSON.stringify(JSON.parse(text)) === text;
        expect(lossyInteger(text)).toBe(isSame ? undefined : String(value));
      }),
    );
  });
});

describe('a JSON text', () => {
  it('is looked through for numbers, not for strings', () => {
    const strings = ['9223372036854775807', 'a "9223372036854775807", \\', '\\"'];
    expect(lossyInteger(JSON.stringify({ strings, '9223372036854775807': 1 }))).toBeUndefined();
    expect(lossyInteger('{"a":"\\\\","b": -9223372036854775807 }')).toBe('-9223372036854775807');
    expect(lossyInteger('[1.9223372036854775807,9223372036854775807e2,1]')).toBeUndefined();
  });

  it('has no number beyond all doubles, of which null would come', () => {
    expect(lossyInteger('{"a":1e308,"b":[-1E400]}')).toBe('-1E400');
    expect(lossyInteger('1e400')).toBe('1e400');
    expect(lossyInteger(`[${'9'.repeat(310)}]`)).toBe('9'.repeat(310));
    expect(lossyInteger('{"a":"1e400","1e400":1.5e-400}')).toBeUndefined();
    expect(cannotKeep('1e400')).toBe(
      'json: cannot unmarshal number 1e400 into Go value of type float64',
    );
  });
});
