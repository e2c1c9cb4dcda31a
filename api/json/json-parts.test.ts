/**
 * Read in parts, a text is what JSON.parse makes of it, and no text is taken that it refuses.
 *
 * Written in parts, a value has the text that it has in one go.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { formatJsonInParts, PART, type PartedJson, readInParts } from './json-parts.ts';
import { formatJson, isReadExactly, parseJson } from './json-text.ts';
import { hasRepeats } from './repeated-keys.ts';
import type { JsonValue } from './json.ts';

/** So that even short texts are cut. */
const PART_LENGTH = 4;

function read(text: string, partLength = PART_LENGTH): { read: PartedJson; turns: number } {
  const parts = readInParts(text, partLength);
  let turns = 1;
  for (;;) {
    const part = parts.next();
    if (part.done === true) return { read: part.value, turns };
    turns += 1;
  }
}

function outcome(reading: () => unknown): unknown {
  try {
    return { value: reading() };
  } catch {
    return 'refused';
  }
}

const key = fc.constantFrom(
  'a',
  'b',
  '__proto__',
  'constructor',
  '1',
  '0',
  'ä',
  '"',
  '\\',
  '\n',
  'a,b',
  '{',
);
const value = fc.letrec((tie) => ({
  one: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, 0, -1.5, 1e300, '', 'text', ']', '},{', '\\"', '\u2028'),
    fc.array(tie('one'), { maxLength: 6 }),
    fc.dictionary(key, tie('one'), { maxKeys: 6 }),
  ),
})).one;
/** As it is written, with blanks and line breaks, or with something put in or taken out somewhere. */
const text = fc
  .tuple(value, fc.constantFrom(0, 1, 3), fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', ' ', '1', 'a', '\n'))))
  .map(([json, indent, changes]) =>
    changes.slice(0, 2).reduce((changed, [place, taken, put]) => {
      const at = place % (changed.length + 1);
      return changed.slice(0, at) + put + changed.slice(at + taken);
    }, JSON.stringify(json, undefined, indent)),
  ); // prettier-ignore

describe('a text that is read in parts', () => {
  it('has the keys that stand in it, whatever was read before', () => {
    const item = (key: string): string => `{"a":1,${JSON.stringify(key)}:1}`;
    const others = (key: string): string => `[${item(key)},${item(key)}]`;
    for (const partLength of [16, 1_000]) {
      read(others('\\'), partLength);
      expect(read(others('\n'), partLength).read.value).toEqual([
        { a: 1, '\n': 1 },
        { a: 1, '\n': 1 },
      ]);
    }
  });

  it('is what it is in one go, or is refused as it is', () => {
    fc.assert(
      fc.property(text, (json) => {
        // Only such texts are cut.
        fc.pre(isReadExactly(json));
        const whole = outcome(() => {
          const parsed = parseJson(json);
          // With the order of its keys, and what they are.
          return [JSON.stringify(parsed), hasRepeats(json, parsed)];
        });
        const inParts = outcome(() => {
          const { value: parsed, hasRepeats: repeats } = read(json).read;
          return [JSON.stringify(parsed), repeats];
        });
        expect(inParts).toEqual(whole);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each(['[1,2,]', '[,1,2]', '[1,,2]', '{"a":1,}', '{,"a":1}', '[1 2 3 4]', '[[1,2}]', '[1]]', '{"abc":}'])(
    'is refused where it is no JSON: %s',
    (json) => {
      expect(() => read(json)).toThrow();
    },
  ); // prettier-ignore

  it('has keys twice, in one part and in two', () => {
    expect(read('{"a":1,"a":2}').read).toEqual({ value: { a: 2 }, hasRepeats: true });
    expect(read('{"a":1,"b":"a long text","a":2}').read.hasRepeats).toBe(true);
    expect(read('{"constructor":1,"b":"a long text"}').read.hasRepeats).toBe(false);
  });

  it('gives others a turn after each part', () => {
    const items = Array.from({ length: 1_000 }, (_, at) => `"k${String(at)}":"v"`);
    const json = `{"data":{${items.join(',')}},"items":[${items.map(() => '"v"').join(',')}]}`;
    expect(read(json, 100).turns).toBeGreaterThan(json.length / 120);
  });
});

function written(value: JsonValue | object, indent = 0): { text: string; turns: number } {
  const parts = formatJsonInParts(value, indent);
  let turns = 1;
  for (;;) {
    const part = parts.next();
    if (part.done === true) return { text: part.value.toString(), turns };
    turns += 1;
  }
}

const many = <Value>(value: Value): Value[] => Array.from({ length: PART + 7 }, () => value);
const keyed = (value: JsonValue): Record<string, JsonValue> =>
  Object.fromEntries(many(value).map((one, at) => [`k"${String(at)}`, one]));

describe('a text that is written in parts', () => {
  it.each<[string, JsonValue | object]>([
    ['a small value', { a: [1, 'b', null] }],
    ['many keys', { data: keyed('ä"\u2028') }],
    ['many keys that are numbers', Object.fromEntries(many(1).map((_, at) => [at * 3, 'v']))],
    ['many items', [many({ a: 1 }), many([]), many(2n ** 60n)]],
    ['large objects in one another', { a: { b: [{ c: keyed({}) }, keyed([])] } }],
    ['fields that are not there', { a: undefined, ...keyed('v'), b: undefined }],
    ['items that are not there', { a: [undefined, ...many('v')] }],
    ['nothing but fields that are not there', { a: many(1), b: { c: undefined } }],
  ])('has the same text: %s', (_name, value) => {
    expect(written(value).text).toBe(formatJson(value));
    expect(written(value, 2).text).toBe(formatJson(value, 2));
  });

  it('has the same text, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const value = { one: many(one), other: keyed(other) };
        expect(written(value).text).toBe(formatJson(value));
      }),
      { numRuns: 50 },
    );
  });

  it('gives others a turn after each part', () => {
    const value = { one: { two: Object.fromEntries(Array.from({ length: PART * 5 }, (_, at) => [`k${String(at)}`, 'v'])) } }; // prettier-ignore
    expect(written(value).turns).toBeGreaterThan(5);
    expect(written({ a: 'b' }).turns).toBe(1);
  });
});
