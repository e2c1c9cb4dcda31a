import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyBytes, textUnder, valueUnder } from './json-bytes.ts';

const NAMES = ['a', 'b', 'metadata', '"', 'ü'];

const value = fc.letrec<{ object: Record<string, unknown>; any: unknown }>((tie) => ({
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 4 }),
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: fc.constantFrom('a', '"', '{', '}', '[', ']', ',', ':', '\\', 'ü') }),
    fc.constantFrom(1, -2.5, true, null, ''),
    fc.array(tie('any'), { maxLength: 3 }),
    tie('object'),
  ),
})).object;

function found(object: unknown, path: readonly string[]): unknown {
  let at = object;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** The text under the path, with other things before and behind it on each level. */
const holder = fc
  .tuple(
    fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
    fc.string({ unit: fc.constantFrom('a', '"', ']', '}', 'ü') }),
    fc.array(value, { minLength: 6, maxLength: 6 }),
  )
  .map(([path, text, others]) => {
    let object: unknown = text;
    for (const [depth, name] of [...path].reverse().entries()) {
      object = { ...others[2 * depth], [name]: object, ...others[2 * depth + 1] };
    }
    return [path, object] as const;
  });

it('a text that is found in the bytes is what a parser finds', () => {
  let hits = 0;
  fc.assert(
    fc.property(holder, ([path, object]) => {
      const text = textUnder(Buffer.from(JSON.stringify(object)), path.map(keyBytes));
      if (text === undefined) return;
      hits += 1;
      expect(text).toBe(found(object, path));
    }),
    { numRuns: 1_000 },
  );
  expect(hits).toBeGreaterThan(30);
});

it('a value that is found in the bytes is what a parser finds', () => {
  let hits = 0;
  const paths = fc.array(fc.constantFrom(...NAMES), { maxLength: 2 });
  fc.assert(
    fc.property(value, paths, (object, path) => {
      const json = Buffer.from(JSON.stringify({ c: '}', b: object, d: [] }));
      const bytes = valueUnder(json, ['b', ...path].map(keyBytes));
      if (bytes === undefined) return;
      hits += 1;
      expect(JSON.parse(bytes.toString())).toEqual(found(object, path));
      const broken = json.subarray(0, bytes.byteOffset - json.byteOffset + bytes.length);
      expect(valueUnder(broken, ['b', ...path].map(keyBytes))).toBeUndefined();
    }),
    { numRuns: 1_000 },
  );
  expect(hits).toBeGreaterThan(30);
});

it.each([
  ['{"a":"x"}', ['a'], 'x'],
  ['{"c":{"a":"{"},"d":[["a"],"]"],"e":-1.5,"a":{"b":"ü"}}', ['a', 'b'], 'ü'],
  ['{"a":{"c":1},"b":"x"}', ['a', 'b'], undefined],
  ['{"a":""}', ['a'], undefined],
  ['{"a":7}', ['a'], undefined],
  ['{"a":"\\n"}', ['a'], undefined],
  ['{"a":"x","a":"y"}', ['a'], undefined],
  ['{"a":{"b":"x"},"a":{"b":"y"}}', ['a', 'b'], undefined],
  ['{"a":"x', ['a'], undefined],
  ['{"b":{"a":"x"', ['a'], undefined],
  ['{ "a":"x"}', ['a'], undefined],
  ['', ['a'], undefined],
])('in %s %j is %j', (json, path, text) => {
  expect(textUnder(Buffer.from(json), path.map(keyBytes))).toBe(text);
});

it('what breaks off anywhere is not read beyond its end', () => {
  const whole = Buffer.from('{"b":[{"c":"]"}],"d":{"e":"}"},"f":1,"a":"x"}');
  for (let length = 0; length < whole.length - 1; length += 1) {
    expect(textUnder(whole.subarray(0, length), [keyBytes('a')])).toBeUndefined();
  }
});
