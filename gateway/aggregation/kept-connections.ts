/**
 * Connections of HTTP/1.1 with a server that does not speak HTTP/2, each for one request at a time and kept open
 * between them.
 *
 * The surprise: undici makes no connection. It is given one that is made and judged already, and when that
 * ends it is thrown away with it.
 */
import type { Client } from 'undici';
import type { ServerPlace } from './server-place.ts';
import { openTls, type TlsParts, type TlsStream } from './open-tls.ts';

/** Less than the 90 s after which servers of Kubernetes end a connection. */
const IDLE_MS = 60_000;
const IDLE_MAX = 64;
/** Of the headers of an answer; Go's client takes 10 MiB. */
const HEADERS_BYTES_MAX = 1024 * 1024;
/** undici asks for the origin of its connection, which is made already; each request names its own host. */
const ORIGIN = 'https://aggregated.invalid';
const PROTOCOLS = ['http/1.1'];

/** The connection ended before the request was written. */
export const UNSENT = 'ERR_UNSENT_REQUEST';

/** A connection for one request, until it is released. */
export interface KeptConnection {
  readonly kind: 'kept';
  readonly client: Client;
  /** Whether it has carried a request before, so that it may have ended meanwhile. */
  readonly isUsed: boolean;
  /** All of the answer has come: the connection is the next request's. */
  release(): void;
  /** Ends the connection. */
  destroy(error: Error): void;
}

export class KeptConnections {
  readonly #place: ServerPlace;
  readonly #parts: TlsParts;
  readonly #open = new Set<Connection>();
  readonly #idle: Connection[] = [];
  #opening = 0;

  constructor(place: ServerPlace, parts: TlsParts) {
    this.#place = place;
    this.#parts = parts;
  }

  /** How many are open, or being opened. */
  get count(): number {
    return this.#open.size + this.#opening;
  }

  /** The one that was used last; undefined: all of them have a request. */
  takeIdle(): KeptConnection | undefined {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
      if (one.isOpen) return one;
    }
    return undefined;
  }

  /** A new one. @throws Error why there is none. */
  async open(): Promise<KeptConnection> {
    this.#opening += 1;
    try {
      const [socket, client] = await Promise.all([
        openTls(this.#place, this.#parts, PROTOCOLS),
        clientClass(),
      ]);
      return this.#kept(socket, client);
    } finally {
      this.#opening -= 1;
    }
  }

  /** From here on new requests take new connections; those under way may end. */
  retire(): void {
    for (const one of this.#open) one.isRetired = true;
    for (const one of this.#idle.splice(0)) one.destroy(new Error(RETIRED));
  }

  /** Ends all of them at once. */
  destroy(): void {
    for (const one of this.#open) one.destroy(new Error(RETIRED));
  }

  #kept(socket: TlsStream, Made: typeof Client): KeptConnection {
    const one = new Connection(socket, Made, () => {
      if (one.isRetired || this.#idle.length === IDLE_MAX) one.destroy(new Error(RETIRED));
      else this.#idle.push(one);
    });
    this.#open.add(one);
    socket.once('close', () => {
      this.#open.delete(one);
      const at = this.#idle.indexOf(one);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return one;
  }
}

const RETIRED = 'the connection is not used any more';

class Connection implements KeptConnection {
  readonly kind = 'kept';
  readonly client: Client;
  isUsed = false;
  isRetired = false;
  readonly #socket: TlsStream;
  readonly #whenFree: () => void;

  constructor(socket: TlsStream, Made: typeof Client, whenFree: () => void) {
    this.#socket = socket;
    this.#whenFree = whenFree;
    let isGiven = false;
    this.client = new Made(ORIGIN, {
      // Deadlines are the request's own.
      ...{
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: HEADERS_BYTES_MAX,
      },
      ...{ keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS },
      connect: (_options, callback) => {
        const isFirst = !isGiven;
        isGiven = true;
        // undici does not hear of what is told at once.
        queueMicrotask(() => {
          // It is a socket of TLS, or a tunnel that has what one has.
          if (isFirst) callback(null, socket as Parameters<typeof callback>[1] & object);
          else callback(Object.assign(new Error('EOF'), { code: UNSENT }), null);
        });
      },
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  release(): void {
    this.isUsed = true;
    // undici ends the connection behind this where the server has said that it is to end.
    queueMicrotask(() => {
      if (this.isOpen) this.#whenFree();
    });
  }

  destroy(error: Error): void {
    this.client.destroy(error, () => undefined);
    this.#socket.destroy();
  }
}

const CLIENT_FILE = 'undici/lib/dispatcher/client.js';
let loaded: Promise<{ readonly default: typeof Client }> | undefined;

/** Read when it is first needed, and alone: the whole of undici takes 120 ms of a start, its client 30. */
async function clientClass(): Promise<typeof Client> {
  // The package describes its client by the name of the whole only.
  loaded ??= import(CLIENT_FILE) as Promise<{
    readonly default: typeof Client;
  }>;
  return (await loaded).default;
}
