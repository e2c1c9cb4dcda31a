/**
 * The law of costs, by counts: an input of twice the bytes makes about twice the work, whatever it
 * is and however it looks. No clock is asked: statements, branches, calls and what built-in
 * functions go through are counted, so that the same code counts the same everywhere. The long run,
 * in processor time and with larger inputs, is `npm run fuzz -- --cost`.
 */
import { describe, expect, it } from 'vitest';
import { countedCases } from './counted-work.ts';
import { growsTooFast } from './growth.ts';

const LIMIT_MS = 600_000;

describe('an input of twice the bytes', () => {
  it('makes about twice the work', { timeout: LIMIT_MS }, async () => {
    const cases = await countedCases();
    const tooFast = cases.filter(growsTooFast);

    expect(cases.length).toBeGreaterThan(1_500);
    expect(tooFast.map(({ name, work }) => `${name}: ${work.join(', ')}`)).toEqual([]);
  });
});

describe('growth', () => {
  it.each([
    ['that is linear, above a constant', [900_000, 910_000, 930_000], false],
    ['of sorting', [10_000, 22_000, 48_000], false],
    ['that is quadratic', [10_000, 40_000, 160_000], true],
    ['that is quadratic, below a constant', [900_000, 930_000, 1_050_000], true],
    ['of what is small', [10, 100, 1_000], false],
    ['of what is refused from some size on', [90_000, 3_000, 3_000], false],
  ] as const)('%s', (_name, work, isTooFast) => {
    expect(growsTooFast({ work })).toBe(isTooFast);
  });
});
