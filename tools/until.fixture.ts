/** Waits, turn by turn of the event loop, for what a test expects of it: bounded, so that it fails and does not hang. */

/** A limit for what is broken, never a measure of what is not. */
const LIMIT_MS = 120_000;

/** @throws where it does not hold in good time. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!holds()) {
    if (performance.now() > end)
      throw new Error(`not within ${String(LIMIT_MS)} ms: ${holds.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
