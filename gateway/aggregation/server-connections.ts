/**
 * Connections to one server at one address. Requests share connections of HTTP/2: each goes to the first that has room
 * for it, so that what is asked side by side leaves in few writes, and another connection is opened where all have
 * many. What a client is slow to read holds up its own request alone. A server that does not speak HTTP/2 has a
 * connection of HTTP/1.1 for each request.
 *
 * The surprise: a server says with its first connection whether it speaks HTTP/2. Until then requests wait for it.
 *
 * In Go: http2.Transport, which has one connection (kubernetes/kubernetes#74280).
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { ClientConnection } from '../http2/client/client-connection.ts';
import { type KeptConnection, KeptConnections } from './kept-connections.ts';
import { openTls, type TlsParts } from './open-tls.ts';
import type { ServerPlace } from './server-place.ts';

/** A connection of HTTP/2, where a place is reserved for one more request. */
export interface SharedConnection {
  readonly kind: 'shared';
  readonly connection: ClientConnection;
  /** To be called where the request is not made. */
  release(): void;
}

/** So many streams a connection has before another one is opened. */
const STREAMS_WANTED = 32;
/** For so long a request waits for another connection, where the open ones have many. */
const OPENING_MS = 1_000;
const PROTOCOLS = ['h2', 'http/1.1'];
/** What is kept of an answer that its client is slow to read. */
const WINDOW_BYTES = 128 * 1_024;

/** The connections to a server. */
export class ServerConnections {
  readonly #parts: TlsParts;
  readonly #place: ServerPlace;
  readonly #kept: KeptConnections;
  readonly #shared = new Set<SharedConnection>();
  readonly #opening = new Set<Promise<void>>();
  #isOldProtocol = false;
  #waiting = 0;

  constructor(place: ServerPlace, parts: TlsParts) {
    this.#place = place;
    this.#parts = parts;
    this.#kept = new KeptConnections(place, parts);
  }

  /** How many connections of HTTP/2 are open. */
  get count(): number {
    return this.#shared.size;
  }

  /** Whether nothing is open, and nothing being opened. */
  get isUnused(): boolean {
    return this.#shared.size === 0 && this.#opening.size === 0 && this.#kept.count === 0;
  }

  /**
   * A connection for one request.
   *
   * @param isAgain whether the request has met one that had ended, so that this one is not to be an old one.
   * @throws Error why there is none.
   */
  take(isAgain: boolean): MaybePromise<KeptConnection | SharedConnection> {
    if (this.#isOldProtocol) return this.#takeKept(isAgain);
    return this.#withRoom(STREAMS_WANTED) ?? this.#opened();
  }

  /** From here on new requests take new connections; those under way may end. */
  retire(): void {
    this.#isOldProtocol = false;
    for (const { connection } of this.#shared) connection.close();
    this.#kept.retire();
  }

  /** Ends all of them at once. */
  destroy(): void {
    for (const { connection } of this.#shared) connection.destroy();
    this.#kept.destroy();
  }

  #takeKept(isAgain: boolean): MaybePromise<KeptConnection> {
    return (isAgain ? undefined : this.#kept.takeIdle()) ?? this.#kept.open();
  }

  /** The first one that has fewer streams than that, and than its server takes. */
  #withRoom(streamsMax: number): SharedConnection | undefined {
    for (const one of this.#shared) {
      const { connection } = one;
      if (connection.size >= Math.min(streamsMax, connection.streamsMax)) continue;
      connection.reserve();
      return one;
    }
    return undefined;
  }

  /** Waits for a connection that is being opened, and a while only where others have room. */
  async #opened(): Promise<KeptConnection | SharedConnection> {
    let isLate = false;
    this.#waiting += 1;
    try {
      for (;;) {
        if (this.#isOldProtocol) return await this.#takeKept(false);
        const shared = this.#withRoom(isLate ? Infinity : STREAMS_WANTED);
        if (shared !== undefined) return shared;
        this.#openMore();
        if (this.#isThereRoom()) isLate = await this.#isLate();
        else await Promise.race(this.#opening);
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  #isThereRoom(): boolean {
    for (const { connection } of this.#shared) {
      if (connection.size < connection.streamsMax) return true;
    }
    return false;
  }

  /** Waits a little for a connection that is being opened. @returns whether none came. */
  #isLate(): Promise<boolean> {
    let cancel = (): void => undefined;
    const late = new Promise<boolean>((resolve) => {
      cancel = this.#parts.clock.after(OPENING_MS, () => {
        resolve(true);
      });
    });
    const isOpen = Promise.race(this.#opening).then(
      () => false,
      () => true,
    );
    return Promise.race([isOpen, late]).finally(cancel);
  }

  /** As many as those that wait need; one where it is not known yet which protocol it is. */
  #openMore(): void {
    let each = STREAMS_WANTED;
    for (const { connection } of this.#shared) each = Math.min(each, connection.streamsMax);
    const wanted = this.#shared.size === 0 ? 1 : Math.ceil(this.#waiting / each);
    while (this.#opening.size < wanted) this.#startOpening();
  }

  #startOpening(): void {
    const opening: Promise<void> = this.#open().finally(() => this.#opening.delete(opening));
    // Requests that wait for it are told; the others have a connection already.
    opening.catch(() => undefined);
    this.#opening.add(opening);
  }

  async #open(): Promise<void> {
    const socket = await openTls(this.#place, this.#parts, PROTOCOLS);
    if (socket.alpnProtocol !== 'h2') {
      this.#isOldProtocol = true;
      socket.destroy();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const connection = new ClientConnection({
        ...{ socket, clock: this.#parts.clock, windowBytes: WINDOW_BYTES },
        ready: () => {
          this.#shared.add(shared);
          resolve();
        },
        gone: (error) => {
          this.#shared.delete(shared);
          reject(error);
        },
      });
      const shared: SharedConnection = {
        ...{ kind: 'shared', connection },
        release: () => {
          connection.release();
        },
      };
    });
  }
}
