/**
 * Writes that leave together: TLS gives what comes in pieces of a record, and each write costs a record of
 * its own, an encryption and a call of the system. What is to be written is copied into slabs that are written from
 * again and again, so that what passes needs no memory of its own, and may be overwritten where it came from.
 *
 * The surprise: what is for a client leaves message by message. The Python client looks whether its socket has
 * something to read, and not whether its TLS has: it would not see a message that shares a record with another.
 */
import type { Writable } from 'node:stream';
import { isTls } from '../inbound/reused-reads.ts';

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

/** A whole number of records of TLS. */
const SLAB_BYTES = 256 * 1_024;
/** So little is not worth that a slab waits with it for a slow end. */
const SMALL_BYTES = 4 * 1_024;
/** More than that in one piece is memory that is asked of the system each time. */
const COPIED_BYTES_MAX = 64 * 1_024;
/** Kept for the next writes; there are more while many ends are slow. */
const SPARE_SLABS = 8;

class Slab {
  readonly bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
  /** Where the free part of it begins. */
  at = 0;
  /** Writes of it that the socket has not finished. */
  unsent = 0;
}

const spares: Slab[] = [];

/** Writes to one end. What is written in one turn of the event loop leaves at its end. */
export class GatheredWrites {
  readonly #to: Writable;
  /** TLS has encrypted what it was given when it says that it was written; others may hand it on. */
  readonly #isReusable: boolean;
  #slab: Slab | undefined;
  /** Where in the slab what waits begins. */
  #from = 0;
  #isDue = false;
  readonly #whenOver: () => void;
  readonly #flush = (): void => {
    this.#isDue = false;
    this.flush();
    this.#whenOver();
  };

  /** @param whenOver called at the end of each turn in which something was written, behind it. */
  constructor(to: Writable, whenOver: () => void = () => undefined) {
    this.#to = to;
    this.#isReusable = isTls(to);
    this.#whenOver = whenOver;
  }

  /** Whether so little waits that more may be read for the other end; else wait for its `drain`. */
  get hasRoom(): boolean {
    return this.#waiting + this.#to.writableLength < WAITING_BYTES_MAX;
  }

  get #waiting(): number {
    return this.#slab === undefined ? 0 : this.#slab.at - this.#from;
  }

  /** Copies the parts. @returns {@link hasRoom} */
  write(...parts: readonly Buffer[]): boolean {
    for (const part of parts) this.#add(part);
    if (!this.#isDue) {
      this.#isDue = true;
      setImmediate(this.#flush);
    }
    return this.hasRoom;
  }

  #add(part: Buffer): void {
    for (let done = 0; done < part.length;) {
      const slab = this.#roomFor(part.length - done);
      const copied = part.copy(slab.bytes, slab.at, done);
      slab.at += copied;
      done += copied;
    }
  }

  /** A slab that so much fits into, or that is empty. */
  #roomFor(bytes: number): Slab {
    const slab = this.#slab;
    if (slab !== undefined && slab.at + Math.min(bytes, SLAB_BYTES) <= SLAB_BYTES) return slab;
    // One of which something is not sent yet comes back when it is.
    this.flush();
    this.#from = 0;
    this.#slab = spares.pop() ?? new Slab();
    return this.#slab;
  }

  /** Writes what waits, now. */
  flush(): void {
    const slab = this.#slab;
    if (slab === undefined) return;
    const waiting = slab.bytes.subarray(this.#from, slab.at);
    this.#from = slab.at;
    if (!this.#to.writable || waiting.length === 0) {
      this.#letGo(slab);
      return;
    }
    if (!this.#isReusable || waiting.length < SMALL_BYTES) {
      for (let at = 0; at < waiting.length; at += COPIED_BYTES_MAX)
        this.#to.write(Buffer.from(waiting.subarray(at, at + COPIED_BYTES_MAX)));
      this.#letGo(slab);
      return;
    }
    slab.unsent += 1;
    this.#to.write(waiting, () => {
      slab.unsent -= 1;
      this.#letGo(slab);
    });
  }

  /** A slab of which nothing waits is for all again. */
  #letGo(slab: Slab): void {
    const isOurs = this.#slab === slab;
    if (slab.unsent > 0 || (isOurs && this.#waiting > 0)) return;
    if (isOurs) this.#slab = undefined;
    slab.at = 0;
    if (spares.length < SPARE_SLABS) spares.push(slab);
  }
}
