/**
 * The connections of clients that go on in another protocol than HTTP. No wait for requests counts them, so all
 * of them end when the server stops: each is told so first, as far as its protocol can tell it, and its last bytes
 * have some seconds to leave.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../api/meta/clock.ts';

/** How long an end may need to take the last bytes of the other, and to close. */
export const LAST_BYTES_MS = 10_000;

/** What a client is told of a command that ends with the server. */
export const STOPPING = 'the API server is stopping';

/** When and how they end. */
export interface JoinedConnectionsParts {
  readonly clock: Clock;
  /** Aborted when the server stops. */
  readonly until: AbortSignal;
}

/** Those that are open, each with what ends it. */
export class JoinedConnections {
  readonly #ends = new Map<Duplex, (why: string) => void>();
  readonly #parts: JoinedConnectionsParts;

  constructor(parts: JoinedConnectionsParts) {
    this.#parts = parts;
    parts.until.addEventListener('abort', () => {
      for (const [socket, end] of this.#ends) this.#stop(socket, end);
    });
  }

  /** @param end is called at most once: tells the client why, and lets it go when it has taken that. */
  hold(socket: Duplex, end: (why: string) => void): void {
    if (socket.destroyed) return;
    this.#ends.set(socket, end);
    socket.once('close', () => this.#ends.delete(socket));
    // Its backend has answered while the server was stopping.
    if (this.#parts.until.aborted) this.#stop(socket, end);
  }

  #stop(socket: Duplex, end: (why: string) => void): void {
    const cancel = this.#parts.clock.after(LAST_BYTES_MS, () => {
      socket.destroy();
    });
    socket.once('close', cancel);
    end(STOPPING);
  }
}
