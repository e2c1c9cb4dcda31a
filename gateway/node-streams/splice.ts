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
import { RateLimit } from './rate-limit.ts';
import type { ClientEnd, UpgradedBackend } from './upgraded-connection.ts';

/** What a connection may pass in a second, each way; 0: as fast as it goes. */
export interface SpliceLimits {
  readonly clock: Clock;
  readonly bytesPerSec: number;
}

/** How long an end may need to take the last bytes of the other, and to close. */
const LAST_BYTES_MS = 10_000;

/** Joins the two, until one of them ends. */
export function splice(client: ClientEnd, backend: UpgradedBackend, limits: SpliceLimits): void {
  const { socket: near } = client;
  const { socket: far } = backend;
  if (backend.head.length > 0) near.write(backend.head);
  if (client.head.length > 0) far.write(client.head);
  const lanes = [new Lane(near, far, limits), new Lane(far, near, limits)];
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

/** What one end says, on its way to the other. */
class Lane {
  readonly #from: Duplex;
  /** The other end, or what holds back what is for it and ends it. */
  readonly #into: Writable;

  constructor(from: Duplex, to: Duplex, limits: SpliceLimits) {
    this.#from = from;
    this.#into = limits.bytesPerSec === 0 ? to : limitedInto(to, limits);
    from.pipe(this.#into, { end: false });
  }

  /** What has been read of the one end goes to the other, and then its end. */
  finish(): void {
    const [from, into] = [this.#from, this.#into];
    from.unpipe(into);
    if (!into.writable) return;
    // It is there even where the end was destroyed.
    for (let left = takenFrom(from); left !== null; left = takenFrom(from)) into.write(left);
    into.end();
  }
}

function limitedInto(to: Duplex, limits: SpliceLimits): Writable {
  const limit = new RateLimit(limits);
  limit.pipe(to);
  to.once('close', () => {
    limit.destroy();
  });
  return limit;
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
