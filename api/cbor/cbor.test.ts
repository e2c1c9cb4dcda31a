/** Values as CBOR and back: the examples of RFC 8949, appendix A, as far as JSON has them, and what is refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { formatJson, parseJson } from '../json/json-text.ts';
import type { JsonValue } from '../json/json.ts';
import { readCbor, readCborInParts } from './cbor-reader.ts';
import { writeCbor, writeCborInParts } from './cbor-writer.ts';

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const read = (hex: string): JsonValue => readCbor(bytesOf(hex));

/** Behind the tag that all have. */
const written = (value: JsonValue): string => writeCbor(value).subarray(3).toString('hex');

describe('CBOR is read', () => {
  it.each<[string, JsonValue]>([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1_000],
    ['1a000f4240', 1_000_000],
    ['1b000000e8d4a51000', 1_000_000_000_000],
    ['1b7fffffffffffffff', 9_223_372_036_854_775_807n],
    ['20', -1],
    ['3863', -100],
    ['3b7fffffffffffffff', -9_223_372_036_854_775_808n],
    ['f90000', 0],
    ['f93c00', 1],
    ['fb3ff199999999999a', 1.1],
    ['f97bff', 65_504],
    ['fa47c35000', 100_000],
    ['f90001', 5.960464477539063e-8],
    ['f90400', 0.00006103515625],
    ['f9c400', -4],
    ['fbc010666666666666', -4.1],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z'],
    ['c11a514b67b0', '2013-03-21T20:04:00Z'],
    ['c1fb41d452d9ec200000', '2013-03-21T20:04:00.5Z'],
    ['d74401020304', '01020304'],
    ['d64401020304', 'AQIDBA=='],
    ['d54401020304', 'AQIDBA'],
    ['d6824101 4102', ['AQ==', 'Ag==']],
    ['d82076687474703a2f2f7777772e6578616d706c652e636f6d', 'http://www.example.com'],
    ['40', ''],
    ['4161', 'a'],
    ['6161', 'a'],
    ['62225c', '"\\'],
    ['62c3bc', 'ü'],
    ['64f0908591', '𐅑'],
    ['80', []],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    ['a0', {}],
    ['a26161016162820203', { a: 1, b: [2, 3] }],
    ['5f42010243030405ff', '\u0001\u0002\u0003\u0004\u0005'],
    ['7f657374726561646d696e67ff', 'streaming'],
    ['9fff', []],
    ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
    ['bf61610161629f0203ffff', { a: 1, b: [2, 3] }],
    ['d9d9f7 a1 4161 d9d9f7 01', { a: 1 }],
  ])('%s', (hex, value) => {
    expect(read(hex)).toEqual(value);
  });

  it('with keys that objects inherit', () => {
    const value = read('a2 49 5f5f70726f746f5f5f 01 4b 636f6e7374727563746f72 02');
    expect(Object.entries(value as object)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });

  it('as deep as JSON, and no deeper', () => {
    const nested = (levels: number): Buffer => Buffer.alloc(levels + 1, 0x81).fill(0, levels);
    expect(() => readCbor(nested(10_000))).not.toThrow();
    expect(() => readCbor(nested(10_001))).toThrow('cbor: exceeded max nested level 10000');
  });

  it.each([
    ['', 'EOF'],
    ['18', 'unexpected EOF'],
    ['82 01', 'unexpected EOF'],
    ['9b ffffffffffffffff', 'unexpected EOF'],
    ['5b ffffffffffffffff', 'unexpected EOF'],
    ['bf 6161 ff', 'a key has no value'],
    ['5f 6161 ff', 'a piece that is none'],
    ['01 02', '1 bytes of extraneous data starting at index 1'],
    ['1bffffffffffffffff', "overflows Go's int64"],
    ['3bffffffffffffffff', "overflows Go's int64"],
    ['c249010000000000000000', 'bignums'],
    ['f97c00', 'NaN or infinity'],
    ['fb7ff8000000000000', 'NaN or infinity'],
    ['f7', 'simple value 23 is not recognized'],
    ['e0', 'simple value 0 is not recognized'],
    ['f8ff', 'simple value 24 is not recognized'],
    ['ff', 'simple value 31 is not recognized'],
    ['1c', 'invalid additional information 28'],
    ['a2 6161 01 4161 02', 'duplicate map key "a"'],
    ['a1 01 02', 'a key of a map is no string'],
    ['62 c328', 'invalid UTF-8'],
    ['c1 6161', 'a time is none'],
    ['c0 6161', 'a time is none'],
  ])('not: %s', (hex, why) => {
    expect(() => read(hex)).toThrow(why);
  });
});

describe('CBOR is written', () => {
  it.each<[JsonValue, string]>([
    [0, '00'],
    [255, '18ff'],
    [65_536, '1a00010000'],
    [-1, '20'],
    [9_223_372_036_854_775_807n, '1b7fffffffffffffff'],
    [-9_223_372_036_854_775_808n, '3b7fffffffffffffff'],
    [1.5, 'f93e00'],
    [65_504.5, 'fa477fe080'],
    [1.1, 'fb3ff199999999999a'],
    [5.960464477539063e-8, 'f90001'],
    [1e300, 'fb7e37e43c8800759c'],
    [true, 'f5'],
    [null, 'f6'],
    ['ü', '42c3bc'],
    [{ a: [1, 'b'] }, 'a1416182014162'],
  ])('%o', (value, hex) => {
    expect(written(value)).toBe(hex);
    expect(writeCbor(value).toString('hex', 0, 3)).toBe('d9d9f7');
  });

  it('without keys that are not there', () => {
    expect(written({ a: undefined, b: 1 })).toBe('a1416201');
  });

  it('so that it is read as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = formatJson(parseJson(JSON.stringify(value)));
        expect(formatJson(readCbor(writeCbor(parseJson(text))))).toBe(text);
      }),
    );
  });

  it('and read in turns where it is large', () => {
    const large = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, at) => [`key-${String(at)}`, at]),
    );
    let turns = 0;
    const all = <Made>(parts: Generator<undefined, Made, undefined>): Made => {
      for (;;) {
        const part = parts.next();
        if (part.done === true) return part.value;
        turns += 1;
      }
    };
    expect(all(readCborInParts(all(writeCborInParts(large))))).toEqual(large);
    expect(turns).toBeGreaterThan(10);
  });
});
