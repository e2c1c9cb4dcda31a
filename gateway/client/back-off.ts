/** How long to wait before the next attempt to connect. */

const FIRST_MS = 100;
const LONGEST_MS = 15_000;

/**
 * The first attempt comes nearly at once, since another replica may be there already; then the time doubles,
 * up to fifteen seconds. Half of it is chance, so that clients of a server that died come one by one.
 *
 * @param failures in a row, from 1 on. @param chance in [0, 1).
 */
export function backOffMs(failures: number, chance: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return longest / 2 + (chance * longest) / 2;
}
