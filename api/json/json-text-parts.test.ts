/** Written in parts, a value has the text that it has in one go. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json.ts';
import { formatJsonInParts } from './json-text-parts.ts';
import { formatJson } from './json-text.ts';
import { PART } from './parts.ts';

function written(value: JsonValue | object): { text: string; turns: number } {
  const parts = formatJsonInParts(value);
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
