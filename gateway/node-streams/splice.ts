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
import { GatheredWrites } from './gathered-writes.ts';
import type { InputEnd } from './input-end.ts';
import { LAST_BYTES_MS } from './joined-connections.ts';
import { RateLimit } from './rate-limit.ts';
import { readBytes, RECORD_BYTES } from '../inbound/reused-reads.ts';
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
  const [toNear, toFar] = [into(near, limits), into(far, limits, inputEnd)];
  if (backend.head.length > 0) {
    const parts = outcome?.pass(backend.head) ?? [backend.head];
    for (const part of parts) toNear.write(Buffer.from(part));
  }
  if (client.head.length > 0) toFar.write(client.head);
  outcome?.clientSaid(client.head);
  // What is held back for its rate leaves in small pieces.
  const isHeldBack = limits.bytesPerSec > 0;
  const lanes = [
    new Lane(near, toFar, {
      leaves: isHeldBack ? 'one by one' : 'together',
      heard: (bytes) => outcome?.clientSaid(bytes),
    }),
    new Lane(far, toNear, {
      leaves: isHeldBack ? 'one by one' : isSpdy ? 'together' : 'by record',
      heard: () => inputEnd?.heard(),
      outcome,
    }),
  ];
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

interface LaneParts {
  /** By record: what TLS gave in records of its own leaves in such again, see gathered-writes.ts. */
  readonly leaves: 'together' | 'by record' | 'one by one';
  /** Told of what passes, before it does. */
  readonly heard: (bytes: Buffer) => void;
  readonly outcome?: CommandOutcome | undefined;
}

/**
 * What one end says, on its way to the other. TLS gives it record by record, and each that is written by itself costs
 * an encryption, a call of the system and a turn through all that looks at it: what comes in one turn leaves together,
 * and a message that has several records leaves whole.
 */
class Lane {
  readonly #from: Duplex;
  /** The other end, or what holds back what is for it and ends it. */
  readonly #into: Writable;
  readonly #out: GatheredWrites;
  readonly #parts: LaneParts;
  #isPaused = false;
  #isOver = false;
  readonly #take = (bytes: Buffer): void => {
    if (this.#isOver) return;
    const { leaves, heard, outcome } = this.#parts;
    heard(bytes);
    const hasRoom =
      outcome === undefined ? this.#out.write(bytes) : this.#out.write(...outcome.pass(bytes));
    const isWhole = leaves === 'one by one' || bytes.length !== RECORD_BYTES;
    if (leaves !== 'together' && isWhole) this.#out.flush();
    if (hasRoom || this.#isPaused) return;
    this.#isPaused = true;
    this.#from.pause();
  };
  readonly #resume = (): void => {
    if (this.#isOver || !this.#isPaused || !this.#out.hasRoom) return;
    this.#isPaused = false;
    this.#from.resume();
  };

  constructor(from: Duplex, into: Writable, parts: LaneParts) {
    this.#from = from;
    this.#into = into;
    this.#parts = parts;
    this.#out = new GatheredWrites(into, this.#resume);
    readBytes(from, this.#take);
    into.on('drain', this.#resume);
    from.resume();
  }

  /** What has been read of the one end goes to the other, and then its end. */
  finish(): void {
    const [from, into] = [this.#from, this.#into];
    from.off('data', this.#take);
    into.off('drain', this.#resume);
    // It is there even where the end was destroyed.
    for (let left = takenFrom(from); left !== null; left = takenFrom(from)) this.#take(left);
    this.#isOver = true;
    const rest = this.#parts.outcome?.rest();
    if (rest !== undefined) this.#out.write(rest);
    this.#out.flush();
    if (into.writable) into.end();
  }
}

/** What is written for the end, through what looks at it and what holds it back. */
function into(to: Duplex, limits: SpliceLimits, first?: Duplex): Writable {
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
