import { expect, it } from 'vitest';
import type { JsonValue } from '../../api/json/json.ts';
import { sameJson } from './json-equality.ts';

it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
  [[1, { a: 2 }], [1, { a: 2 }], true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[], {}, false],
  [{}, [], false],
  [[1], { 0: 1 }, false],
  [{ a: 1, b: undefined as never }, { a: 1 }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { b: 1 }, false],
  [null, {}, false],
  [null, null, true],
  [undefined, null, false],
])('%j and %j are the same JSON: %s', (a, b, same) => {
  expect([sameJson(a, b), sameJson(b, a)]).toEqual([same, same]);
});
