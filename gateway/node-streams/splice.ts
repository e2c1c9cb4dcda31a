/**
 * Joins the two ends of a connection that has agreed on another protocol than HTTP: an end is read from as fast
 * as the other one takes, nothing is kept, and when either has ended, so has the other.
 *
 * The surprise: an end may be over while the other has not taken yet what it said. Whether it was closed, was
 * reset or no longer takes what is written to it, all that has been read of it still leaves; and the other end is
 * read on until it closes, because a socket that is closed before its peer has stopped talking is reset, and a
 * reset takes back what the peer has not been sent yet.
 *
 * In Kubernetes: tryUpgrade, apimachinery/pkg/util/proxy.
 */
import type { Duplex, Writable } from 'node:stream';
import type { Clock } from '../../api/meta/clock.ts';
import type { CommandOutcome } from './command-outcome.ts';
import type { InputEnd } from './input-end.ts';
import { LAST_BYTES_MS } from './joined-connections.ts';
import { RateLimit } from './rate-limit.ts';
import type { ClientEnd, UpgradedBackend } from './upgraded-connection.ts';

/** What a connection may pass in a second, each way; 0: as fast as it goes. */
export interface SpliceLimits {
  readonly clock: Clock;
  readonly bytesPerSec: number;
}

/** What is known of the other protocol. */
export interface JoinedProtocol {
  /** Whether its messages may reach the client together, in one record of TLS; see gathered-writes.ts. */
  readonly isSpdy?: boolean;
  /** Of a command in SPDY. */
  readonly outcome?: CommandOutcome | undefined;
  /** Of a command in SPDY on a node behind a tunnel. */
  readonly inputEnd?: InputEnd | undefined;
}

/**
 * Joins the two, until one of them ends.
 *
 * @returns ends both; the client of a command is told why.
 */
export function splice(
  client: ClientEnd,
  backend: UpgradedBackend,
  limits: SpliceLimits,
  { isSpdy = false, outcome, inputEnd }: JoinedProtocol = {},
): (why: string) => void {
  const { socket: near } = client;
  const { socket: far } = backend;
  const [toNear, toFar] = [into(near, limits, outcome), into(far, limits, inputEnd)];
  if (backend.head.length > 0) toNear.write(backend.head);
  if (client.head.length > 0) toFar.write(client.head);
  if (outcome !== undefined) {
    outcome.clientSaid(client.head);
    near.on('data', (chunk: Buffer) => {
      outcome.clientSaid(chunk);
    });
  }
  if (inputEnd !== undefined) {
    far.on('data', () => {
      inputEnd.heard();
    });
  }
  // What is held back for its rate leaves in small pieces.
  const gathers = limits.bytesPerSec === 0;
  const lanes = [new Lane(near, toFar, gathers), new Lane(far, toNear, gathers && isSpdy)];
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    for (const lane of lanes) lane.finish();
    for (const end of [near, far]) close(end, limits.clock);
  };
  for (const end of [near, far]) {
    hearOn(end);
    end.on('error', () => undefined);
    end.once('end', over);
    end.once('close', over);
  }
  if (near.destroyed || far.destroyed) over();
  return (why) => {
    outcome?.breaksOffBecause(why);
    over();
  };
}

type Written = (error?: Error | null) => void;

/**
 * A peer that has closed takes nothing more, which would destroy the socket with what the peer said before, as
 * far as that is not read yet. So what it does not take is passed over; that it has ended is read.
 */
function hearOn(end: Duplex): void {
  const write = end._write.bind(end);
  const writeAll = end._writev?.bind(end);
  const passedOver =
    (done: Written): Written =>
    () => {
      done();
    };
  end._write = (chunk, encoding, done) => {
    write(chunk, encoding, passedOver(done));
  };
  if (writeAll === undefined) return;
  end._writev = (chunks, done) => {
    writeAll(chunks, passedOver(done));
  };
}

/** So much is gathered of an end at most, and it is read on when the other has taken that. */
const GATHERED_BYTES_MAX = 256 * 1024;

/**
 * What one end says, on its way to the other. TLS gives it record by record, and each that is written by itself costs
 * an encryption, a call of the system and a turn through all that looks at it: what comes in one turn leaves together.
 */
class Lane {
  readonly #from: Duplex;
  /** The other end, or what holds back what is for it and ends it. */
  readonly #into: Writable;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #isDue = false;
  readonly #take: (chunk: Buffer) => void;
  readonly #resume = (): void => {
    this.#from.resume();
  };

  constructor(from: Duplex, into: Writable, gathers: boolean) {
    this.#from = from;
    this.#into = into;
    this.#take = (chunk) => {
      if (gathers) this.#gather(chunk);
      else if (!into.write(chunk)) from.pause();
    };
    from.on('data', this.#take);
    into.on('drain', this.#resume);
    from.resume();
  }

  #gather(chunk: Buffer): void {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= GATHERED_BYTES_MAX) this.#from.pause();
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      if (this.#pass()) this.#from.resume();
      else this.#from.pause();
    });
  }

  /** @returns whether the other end takes more. */
  #pass(): boolean {
    const gathered = this.#gathered;
    const [first] = gathered;
    if (first === undefined || !this.#into.writable) return true;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    return this.#into.write(gathered.length === 1 ? first : Buffer.concat(gathered));
  }

  /** What has been read of the one end goes to the other, and then its end. */
  finish(): void {
    const [from, into] = [this.#from, this.#into];
    from.off('data', this.#take);
    into.off('drain', this.#resume);
    if (!into.writable) return;
    this.#pass();
    // It is there even where the end was destroyed.
    for (let left = takenFrom(from); left !== null; left = takenFrom(from)) into.write(left);
    into.end();
  }
}

/** What is written for the end, through what looks at it and what holds it back. */
function into(to: Duplex, limits: SpliceLimits, first: Duplex | undefined): Writable {
  const through = [
    ...(first === undefined ? [] : [first]),
    ...(limits.bytesPerSec === 0 ? [] : [new RateLimit(limits)]),
  ];
  return through.reduceRight<Writable>((next, one) => {
    one.pipe(next);
    to.once('close', () => {
      one.destroy();
    });
    return one;
  }, to);
}

function takenFrom(end: Duplex): Buffer | null {
  return end.read() as Buffer | null; // No end has an encoding.
}

/** Reads the end on, and lets it go once it has closed. */
function close(end: Duplex, clock: Clock): void {
  if (end.destroyed) return;
  const cancel = clock.after(LAST_BYTES_MS, () => {
    end.destroy();
  });
  end.once('close', cancel);
  end.resume();
}
