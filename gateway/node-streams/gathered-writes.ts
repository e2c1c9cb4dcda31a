/**
 * Writes that leave together: TLS gives what comes in pieces of a record, and each write costs a record of
 * its own, an encryption and a call of the system.
 */
import type { Writable } from 'node:stream';

/** What may wait for a slow end; more is not read for it. */
const WAITING_BYTES_MAX = 256 * 1024;

/** Writes to one stream. What is written in one turn of the event loop leaves at its end. */
export class GatheredWrites {
  readonly #to: Writable;
  #isGathering = false;

  constructor(to: Writable) {
    this.#to = to;
  }

  /** @returns whether there is room for more; without it, wait for `drain`. */
  write(...parts: readonly Buffer[]): boolean {
    const to = this.#to;
    if (!this.#isGathering) {
      this.#isGathering = true;
      to.cork();
      setImmediate(() => {
        this.#isGathering = false;
        to.uncork();
      });
    }
    for (const part of parts) to.write(part);
    return to.writableLength < WAITING_BYTES_MAX;
  }
}
