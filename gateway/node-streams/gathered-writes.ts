/**
 * Writes that leave together: TLS gives what comes in pieces of a record, and each write costs a record of
 * its own, an encryption and a call of the system.
 *
 * The surprise: what is for a client leaves message by message. The Python client looks whether its socket has
 * something to read, and not whether its TLS has: it would not see a message that shares a record with another.
 */
import type { Writable } from 'node:stream';

/** What may wait for a slow end; more is not read for it. */
const WAITING_BYTES_MAX = 256 * 1024;

/** Whether so little waits for the other end that more may be read for it; else wait for `drain`. */
export function hasRoom(to: Writable): boolean {
  return to.writableLength < WAITING_BYTES_MAX;
}

/** Writes the parts of one message together. @returns {@link hasRoom} */
export function writeMessage(to: Writable, ...parts: readonly Buffer[]): boolean {
  to.cork();
  for (const part of parts) to.write(part);
  to.uncork();
  return hasRoom(to);
}

/** Writes to one node. What is written in one turn of the event loop leaves at its end. */
export class GatheredWrites {
  readonly #to: Writable;
  #isGathering = false;

  constructor(to: Writable) {
    this.#to = to;
  }

  /** @returns {@link hasRoom} */
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
    return hasRoom(to);
  }
}
