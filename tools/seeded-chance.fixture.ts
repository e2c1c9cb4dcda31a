/** Chance that a seed decides: what was found by it is found again by naming the seed. Mulberry32. */

/** Whole numbers of 32 bits, not negative. */
export function bitsFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

export type Chance = () => number;

/** Numbers from 0 to 1, without 1. */
export function chanceFrom(seed: number): Chance {
  const bits = bitsFrom(seed);
  return () => bits() / 2 ** 32;
}
