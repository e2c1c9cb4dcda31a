/** That the steps of a merge give the same whether conversions and rests take time or not. */
import { expect, it } from 'vitest';
import { goThrough, inVersion, REST, type Converted, type Steps } from './converting.ts';
import { DEDUCED } from './merge-type.ts';

const V1 = { object: { a: 1 }, type: DEDUCED, apiVersion: 'v1' };
const V2: Converted = { ok: true, typed: { ...V1, apiVersion: 'v2' } };

function* steps(): Steps<string[]> {
  const same = yield* inVersion(V1, 'v1');
  yield REST;
  const other = yield* inVersion(V1, 'v2');
  yield REST;
  return [same, other].map((one) => (one.ok ? one.typed.apiVersion : one.message));
}

it('goes at once where nothing takes time', () => {
  const asked: string[] = [];
  const result = goThrough(steps(), ({ apiVersion }) => {
    asked.push(apiVersion);
    return V2;
  });
  expect(result).toEqual(['v1', 'v2']);
  expect(asked).toEqual(['v2']);
});

it('waits for conversions and rests, as often as there are any', async () => {
  let rests = 0;
  const rest = (): Promise<void> => Promise.resolve().then(() => void (rests += 1));
  const later = goThrough(steps(), () => Promise.resolve(V2), rest);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toEqual(['v1', 'v2']);
  expect(rests).toBe(2);
  expect(await goThrough(steps(), () => Promise.resolve(V2))).toEqual(['v1', 'v2']);
});

it('fails as the conversion fails', async () => {
  const broken = (): never => {
    throw new Error('no such version');
  };
  expect(() => goThrough(steps(), broken)).toThrow('no such version');
  const later = goThrough(steps(), () => Promise.reject(new Error('no such version')));
  await expect(later).rejects.toThrow('no such version');
});
