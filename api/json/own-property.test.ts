/** How keys of clients lie in the engine's memory, which it tells where its own syntax is allowed. */
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json.ts';
import { setOwn } from './own-property.ts';

setFlagsFromString('--allow-natives-syntax');
const isTable = runInThisContext('(object) => %HasDictionaryElements(object)') as (
  object: JsonObject,
) => boolean;
isTable({}); // It is compiled when it is first called.
setFlagsFromString('--no-allow-natives-syntax');

/** So far from one another that the engine makes a list of them only when it knows many. */
const NUMBERS = Array.from({ length: 30_000 }, (_, at) => String(at * 7));

describe('keys that are numbers', () => {
  it.each([
    ['from first to last', NUMBERS],
    ['from last to first', [...NUMBERS].reverse()],
    ['in the order of texts', [...NUMBERS].sort()],
  ])('stay where they lie, %s', (_, keys) => {
    const object: JsonObject = {};
    let moves = 0;
    let was = false;
    for (const key of keys) {
      setOwn(object, key, 'v');
      const is = isTable(object);
      if (was && !is) moves += 1;
      was = is;
    }

    expect({ moves, isTable: isTable(object) }).toEqual({ moves: 0, isTable: true });
    expect(Object.keys(object)).toEqual(NUMBERS);
  });

  it('are those of the client, the greatest index too', () => {
    const object: JsonObject = {};
    setOwn(object, '70000', 1);
    expect(object).toEqual({ '70000': 1 });

    const last: JsonObject = {};
    setOwn(last, '4294967294', 'mine');
    setOwn(last, '70000', 1);
    expect(last).toEqual({ '70000': 1, '4294967294': 'mine' });
  });

  it('are told from names, and from what JavaScript has', () => {
    const object: JsonObject = {};
    for (const key of ['10.0.0.1', '4294967295', '00000', '', '8080', '__proto__']) {
      setOwn(object, key, key);
    }

    expect(Object.keys(object)).toEqual([
      '8080',
      '10.0.0.1',
      '4294967295',
      '00000',
      '',
      '__proto__',
    ]);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });
});
