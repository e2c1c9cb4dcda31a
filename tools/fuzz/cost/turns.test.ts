/**
 * The law of turns, by counts: of what a large write does, no turn of the event loop does more than
 * a small part, wherever in the object its many items lie. No clock is asked: statements, branches,
 * calls and what built-in functions go through are counted. How long turns take is for
 * bench/attacks.ts and `npm run fuzz -- --cost`.
 */
import { describe, expect, it } from 'vitest';
import { countedTurns } from './counted-work.ts';

const LIMIT_MS = 600_000;
/** Of an object of ten thousand items. A million is about ten milliseconds. */
const WORK_MAX = 7_000_000;
/** In hundredths of all that is done, where that is little. */
const PART_MAX = 40;

describe('of a large write', () => {
  it('no turn does more than a part', { timeout: LIMIT_MS }, async () => {
    const counted = await countedTurns();
    const tooMuch = counted.filter(({ turns }) => {
      const most = Math.max(...turns);
      const all = turns.reduce((one, other) => one + other, 0);
      return most > WORK_MAX || most > (all * PART_MAX) / 100;
    });

    expect(counted.length).toBeGreaterThan(10);
    expect(tooMuch.map(({ name, turns }) => `${name}: ${turns.map(Math.round).join(' ')}`)).toEqual(
      [],
    );
  });
});
