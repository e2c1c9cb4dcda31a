/**
 * The laws of turns, by counts: of what a large write does, no turn of the event loop does more than
 * a small part, wherever in the object its many items lie; and all turns together do what one turn
 * would do, with the same answer, since work that begins again after a pause remembers what it has
 * done. No clock is asked: statements, branches,
 * calls and what built-in functions go through are counted. How long turns take is for
 * bench/attacks.ts and `npm run fuzz -- --cost`.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { countedTurns, countedWithoutPauses } from './counted-work.ts';
import type { CountedTurns } from './turn-counting-bundle.ts';

const LIMIT_MS = 600_000;
/** Of an object of ten thousand items. A million is about ten milliseconds. */
const WORK_MAX = 7_000_000;
/** In hundredths of all that is done, where that is little. */
const PART_MAX = 40;
/**
 * So much may all turns do for each unit of one turn. An object of 3 MB has eight times the items:
 * eight times the pauses, each with eight times as much to go through again, for eight times the
 * work. So there it is less than 1.2.
 */
const REPEATED_MAX = 1.025;

describe('of a large write', () => {
  let counted: readonly CountedTurns[] = [];
  beforeAll(async () => {
    counted = await countedTurns();
  }, LIMIT_MS);

  it('no turn does more than a part', () => {
    const tooMuch = counted.filter(({ turns }) => {
      const most = Math.max(...turns);
      const all = sumOf(turns);
      return most > WORK_MAX || most > (all * PART_MAX) / 100;
    });

    expect(counted.length).toBeGreaterThan(10);
    expect(tooMuch.map(({ name, turns }) => `${name}: ${turns.map(Math.round).join(' ')}`)).toEqual(
      [],
    );
  });

  it('all turns together do what one would', { timeout: LIMIT_MS }, async () => {
    const atOnce = new Map((await countedWithoutPauses()).map((one) => [one.name, one]));
    const others = counted.flatMap(({ name, code, turns }) => {
      const once = atOnce.get(name);
      const ratio = sumOf(turns) / sumOf(once?.turns ?? []);
      const isSame = once?.code === code && ratio <= REPEATED_MAX;
      return isSame ? [] : [`${name}: ${String(code)}, x ${ratio.toFixed(3)}`];
    });

    expect(others).toEqual([]);
  });
});

function sumOf(turns: readonly number[]): number {
  return turns.reduce((one, other) => one + other, 0);
}
