/**
 * Waits for something to become true, and says what was last seen when it does not.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /**
   * Default two minutes: a limit for broken servers, never a measure of good ones. Beside other tests a machine
   * may need ten times as long as alone.
   */
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

const TIMEOUT_MS = 120_000;
const EVERY_MS = 20;

/**
 * The first value of `look` that is not undefined. A throw of `look` counts as "not yet".
 *
 * @throws after the timeout, with the last error of `look` as its cause.
 */
export async function eventually<T>(
  what: string | (() => string),
  look: () => T | undefined | Promise<T | undefined>,
  patience: Patience = {},
): Promise<T> {
  const timeoutMs = patience.timeoutMs ?? TIMEOUT_MS;
  const deadline = Date.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      cause = error;
    }
    await sleep(patience.everyMs ?? EVERY_MS);
  } while (Date.now() < deadline);
  const wanted = typeof what === 'string' ? what : what();
  throw new Error(`not within ${String(timeoutMs)} ms: ${wanted}`, { cause });
}
