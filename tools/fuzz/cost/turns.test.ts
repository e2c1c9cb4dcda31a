/**
 * The laws of turns, by counts: of what a large write does, no turn of the event loop does more than
 * a small part, wherever in the object its many items lie; and all turns together do what one turn
 * would do, with the same answer, since work that begins again after a pause remembers what it has
 * done. No clock is asked: statements, branches, calls, keys that are listed and what built-in
 * functions go through are counted, in a world in which slices and bodies are 32 times smaller. How
 * long turns take is for bench/attacks.ts and `npm run fuzz -- --turns`.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { countedTurns, type LargeWriteTurns } from './counted-work.ts';

const LIMIT_MS = 600_000;
/** In units of about ten nanoseconds, in a world that is 32 times smaller: two tenths of a second in the server. */
const WORK_MAX = 600_000;
/** Of lists whose items are compared with one another, and of long texts. */
const WORK_MAX_OF: ReadonlyMap<string, number> = new Map([
  ['a Pod with many ports', 1_000_000],
  ['a Service of many ports', 1_000_000],
  ['an apply beside many others', 1_000_000],
  // One call escapes all of a text.
  ['a definition of a long kind that is escaped', 700_000],
  ['a binding of a long kind that is escaped', 700_000],
  ['a policy of a long name that is escaped', 700_000],
  ['a custom set of a long text that is escaped', 700_000],
]);
/** In hundredths of all that is done, where that is little. */
const PART_MAX = 40;
/**
 * So much may all turns do for each unit of one turn. What a slice does again before it goes on is
 * the same in a world with smaller slices, so there it is 32 times as much of each.
 */
const REPEATED_MAX = 1.25;

describe('of a large write', () => {
  let counted: LargeWriteTurns = { inSlices: [], atOnce: [] };
  beforeAll(async () => {
    counted = await countedTurns();
  }, LIMIT_MS);

  it('no turn does more than a part', () => {
    const tooMuch = counted.inSlices.filter(({ name, turns }) => {
      const most = Math.max(...turns);
      const known = WORK_MAX_OF.get(name);
      if (known !== undefined) return most > known;
      return most > WORK_MAX || most > (sumOf(turns) * PART_MAX) / 100;
    });

    expect(counted.inSlices.length).toBeGreaterThan(10);
    expect(tooMuch.map(({ name, turns }) => `${name}: ${turns.map(Math.round).join(' ')}`)).toEqual(
      [],
    );
  });

  it('all turns together do what one would', () => {
    const atOnce = new Map(counted.atOnce.map((one) => [one.name, one]));
    const others = counted.inSlices.flatMap(({ name, code, turns }) => {
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
