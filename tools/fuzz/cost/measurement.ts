/**
 * What an input costs in processor time. Other processes take time of the clock and not of the
 * processor; what is left of noise (collections, compilations) only ever adds, so that the least
 * of several times is the nearest to the truth.
 */
import type { CostCase, CostInput } from './cost-case.ts';

const US_PER_MS = 1_000;

/** Processor time of one run, in milliseconds, that of collections and compilations too. */
export async function costMs({ prepare, run }: CostInput): Promise<number> {
  prepare?.();
  const from = process.cpuUsage();
  const result = run();
  // A synchronous reader must not pay for a turn of the loop.
  if (result instanceof Promise) await result;
  const { user, system } = process.cpuUsage(from);
  return (user + system) / US_PER_MS;
}

export async function leastCostMs(input: CostInput, times: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time += 1) least = Math.min(least, await costMs(input));
  return least;
}

export interface Growing {
  /** So much more does an input of twice the bytes cost; 0 where it is too little to be judged. */
  readonly ratio: number;
  readonly bytes: number;
  readonly costMs: number;
}

/** Twice the bytes may cost so much more: sorting, and caches that no longer hold it all. */
export const RATIO_MAX = 2.6;
/** What costs less is noise. */
const FLOOR_MS = 4;
/** An input that costs so much is not made larger. */
const ENOUGH_MS = 1_500;
const ROUNDS = 8;
const FIRST_BYTES = 4_096;

/**
 * Compares an input of `bytesMax` with one of half of it, or smaller ones where these cost too much
 * already. What seems to grow too fast is compared again and doubled twice more: where a cache or a
 * heap grew only once, it does so no longer.
 */
export async function growing(one: CostCase, bytesMax: number): Promise<Growing> {
  let bytes = FIRST_BYTES;
  let costs = [await costMs(one.make(bytes)), await costMs(one.make(bytes * 2))] as const;
  while (bytes * 4 <= bytesMax && costs[1] < ENOUGH_MS) {
    bytes = costs[1] < ENOUGH_MS / 64 ? bytesMax / 2 : bytes * 2;
    costs = [await costMs(one.make(bytes)), await costMs(one.make(bytes * 2))];
  }
  const [less, more] = costs;
  bytes *= 2;
  if (more < FLOOR_MS || more < less * RATIO_USUAL) return { ratio: 0, bytes, costMs: more };
  let judged = await compared(one, bytes);
  for (let time = 0; time < CONFIRMATIONS && judged.ratio > RATIO_MAX; time += 1) {
    if (judged.costMs > ENOUGH_MS) break;
    bytes *= 2;
    judged = await compared(one, bytes);
  }
  return judged;
}

/** What grows less at the first look is not looked at again. */
const RATIO_USUAL = 2.3;
const CONFIRMATIONS = 2;

/** By turns, so that both meet the same machine. */
async function compared(one: CostCase, bytes: number): Promise<Growing> {
  const [small, large] = [one.make(bytes / 2), one.make(bytes)];
  let [less, more] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let ratio = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    less = Math.min(less, await costMs(small));
    more = Math.min(more, await costMs(large));
    // An input may not come out exactly as large as it should.
    ratio = (more / less) * ((2 * small.bytes) / large.bytes);
    if (ratio <= RATIO_MAX && round > 0) break;
  }
  return { ratio: more < FLOOR_MS ? 0 : ratio, bytes: large.bytes, costMs: more };
}
