/**
 * The law of large writes: with a pause wherever there may be one, managers and applied objects are
 * what they are at once.
 */
import { expect, it, vi } from 'vitest';
import { someHistories } from './compared-writes.fixture.ts';

// The real one, whose slices end with each step: those of large objects have thousands.
vi.mock('../json/work-in-slices.ts', async (original) => {
  const real = await original<typeof import('../json/work-in-slices.ts')>();
  class ShortSlices<Result> extends real.WorkInSlices<Result> {
    constructor(work: () => Result) {
      super(work, 1);
    }
  }
  return { ...real, WorkInSlices: ShortSlices };
});

const SEED = 20_261_123;
const HISTORIES = 8;

it(`in slices, writes leave what they leave at once (seed ${String(SEED)})`, async () => {
  let rests = 0;
  const rest = (): Promise<void> => {
    rests += 1;
    return Promise.resolve();
  };
  const inSlices = await someHistories(SEED, HISTORIES, rest);
  const atOnce = await someHistories(SEED, HISTORIES);

  expect(atOnce.length).toBeGreaterThan(HISTORIES * 3);
  expect(rests).toBeGreaterThan(inSlices.length * 50);
  expect(inSlices.map(({ here }) => here)).toEqual(atOnce.map(({ here }) => here));
});
