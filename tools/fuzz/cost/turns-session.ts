/**
 * `npm run fuzz -- --turns`: whether some large request holds the event loop. Every place of every
 * object is grown, as for `--cost`, and its turns are counted in a small world; how long the largest
 * of those that seem long take in fact is then measured with 3 MiB. See docs/fuzzing.md.
 */
import { BODY_BYTES, type CostCase } from './cost-case.ts';
import { COST_FAMILIES } from './cost-families.ts';
import { countedTurnsOfCases, FAMILIES_WITH_BODIES } from './counted-work.ts';
import { longestTurn } from './longest-turn.ts';
import { USUAL_SHAPES } from './text-shapes.ts';

/** What is counted takes less than half of the time that it may, whatever it is. */
const COUNTED_MAX = 750_000;
/** Bodies have metadata as well, and their makers meet the size about. */
const LARGEST_BYTES = BODY_BYTES - 4_096;
const TURN_MAX_MS = 100;
const TIMES = 2;

/** @returns how many hold the loop for longer than they may. */
export async function turnsSession(
  containing: string,
  print: (line: string) => unknown,
): Promise<number> {
  const counted = await countedTurnsOfCases(containing);
  const long = counted.filter(({ turns }) => Math.max(...turns) > COUNTED_MAX);
  print(`${String(long.length)} of ${String(counted.length)} inputs are measured`);
  const names = new Set(long.map(({ name }) => name));
  let tooLong = 0;
  for (const family of FAMILIES_WITH_BODIES) {
    for (const one of (await COST_FAMILIES[family]?.(USUAL_SHAPES)) ?? []) {
      if (!names.has(one.name)) continue;
      const ms = await longestTurnMs(one);
      if (ms > TURN_MAX_MS) tooLong += 1;
      print(`${ms.toFixed(0).padStart(6)} ms  ${one.name}`);
    }
  }
  return tooLong;
}

async function longestTurnMs(one: CostCase): Promise<number> {
  const about = one.make(LARGEST_BYTES);
  const input = about.bytes <= LARGEST_BYTES ? about : one.make(LARGEST_BYTES ** 2 / about.bytes);
  const { ms } = await longestTurn(input, TIMES);
  return ms;
}
