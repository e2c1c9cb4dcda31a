/** How long to wait before the next attempt to connect. */

const FIRST_MS = 100;
const LONGEST_MS = 5_000;

/**
 * The first attempt comes nearly at once, since another replica may be there already; then the time doubles,
 * up to five seconds. Half of it is chance, so that clients of a server that died come one by one.
 *
 * @param failures in a row, from 1 on. @param chance in [0, 1).
 */
export function backOffMs(failures: number, chance: number): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return longest / 2 + (chance * longest) / 2;
}

/** In [0, 1). */
export function chance(): number {
  const [number = 0] = globalThis.crypto.getRandomValues(new Uint32Array(1));
  return number / 2 ** 32;
}

/** The server has too much to do, or is about to start or to stop: it will take later what it refuses now. */
export function isPassing(code: number): boolean {
  return code === TOO_MANY_REQUESTS || code >= INTERNAL_ERROR;
}

const TOO_MANY_REQUESTS = 429;
const INTERNAL_ERROR = 500;
