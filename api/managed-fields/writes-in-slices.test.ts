/**
 * The law of large writes: with a pause wherever there may be one, managers and applied objects are
 * what they are at once.
 */
import { expect, it } from 'vitest';
import { someHistories } from './compared-writes.fixture.ts';

const SEED = 20_261_123;
const HISTORIES = 8;

it(`in slices, writes leave what they leave at once (seed ${String(SEED)})`, async () => {
  let rests = 0;
  const wait = (): Promise<void> => {
    rests += 1;
    return Promise.resolve();
  };
  const inSlices = await someHistories(SEED, HISTORIES, Object.assign(wait, { steps: 1 }));
  const atOnce = await someHistories(SEED, HISTORIES);

  expect(atOnce.length).toBeGreaterThan(HISTORIES * 3);
  expect(rests).toBeGreaterThan(inSlices.length * 50);
  expect(inSlices.map(({ here }) => here)).toEqual(atOnce.map(({ here }) => here));
});
