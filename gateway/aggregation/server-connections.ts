/**
 * Connections to one server at one address. Brief requests go over HTTP/1.1, whose connections carry one
 * at a time, as long as there are few side by side. All others are spread over several connections of
 * HTTP/2: each goes to the one that has the fewest under way, and another is opened when it has many. What
 * a client is slow to read holds up its own request alone.
 *
 * The surprise: a server says with its first connection whether it speaks HTTP/2. Until then requests
 * wait for it; afterwards those for a server that does not have a connection of HTTP/1.1 each.
 *
 * In Go: http2.Transport, which has one connection (kubernetes/kubernetes#74280).
 */
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import type { Clock } from '../../api/meta/clock.ts';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { type KeptConnection, KeptConnections } from './kept-connections.ts';
import { openTls, type TlsParts } from './open-tls.ts';
import { hostAndPort, type ServerPlace } from './server-place.ts';

/** A connection of HTTP/2, for one more request. */
export interface HeldSession {
  readonly kind: 'shared';
  readonly session: ClientHttp2Session;
  /** To be called once when the request is over. */
  readonly release: () => void;
}

/** Brief requests side by side; further ones go over HTTP/2, where none waits for another. */
const KEPT_MAX = 64;
/** So many are opened as soon as so many requests come side by side. */
const SESSIONS_MIN = 4;
/** So many streams a connection has before another one is opened. */
const STREAMS_WANTED = 64;
/** For so long a request waits for another connection, where the open ones have many. */
const OPENING_MS = 1_000;
const PROTOCOLS = ['h2', 'http/1.1'];
const IDLE_MS = 90_000;
const PING_EVERY_MS = 30_000;
const PING_MS = 15_000;
/** Of a connection; each stream has a window of its own, which bounds what is kept here. */
const WINDOW_BYTES = 16 * 1024 * 1024;

interface Link {
  readonly session: ClientHttp2Session;
  streams: number;
  cancelIdle: () => void;
}

/** The connections to a server. */
export class ServerConnections {
  readonly #parts: TlsParts;
  readonly #place: ServerPlace;
  readonly #kept: KeptConnections;
  readonly #links = new Set<Link>();
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
    return this.#links.size;
  }

  /** Whether nothing is open, and nothing being opened. */
  get isUnused(): boolean {
    return this.#links.size === 0 && this.#opening.size === 0 && this.#kept.count === 0;
  }

  /**
   * A connection for one request.
   *
   * @param isBrief whether it has no body, and its answer is there as soon as it can be.
   * @throws Error why there is none.
   */
  take(isBrief: boolean): MaybePromise<KeptConnection | HeldSession> {
    if (!isBrief || this.#kept.isRefused) return this.#takeOther();
    const idle = this.#kept.takeIdle();
    if (idle !== undefined) return idle;
    return this.#kept.count < KEPT_MAX ? this.#openKept() : this.#takeOther();
  }

  async #openKept(): Promise<KeptConnection | HeldSession> {
    return (await this.#kept.open()) ?? this.#takeOther();
  }

  async #takeOther(): Promise<KeptConnection | HeldSession> {
    const shared = await this.#takeShared();
    if (shared !== undefined) return shared;
    const kept = this.#kept.takeIdle() ?? (await this.#kept.open());
    if (kept === undefined) throw new Error('remote error: tls: no application protocol');
    return kept;
  }

  /** undefined: the server speaks HTTP/1.1. */
  async #takeShared(): Promise<HeldSession | undefined> {
    let isLate = false;
    this.#waiting += 1;
    try {
      for (;;) {
        if (this.#isOldProtocol) return undefined;
        this.#openMore();
        const link = this.#leastBusy();
        const isBusy = link === undefined || link.streams >= STREAMS_WANTED;
        const waitsMore = isBusy && this.#opening.size > 0 && !isLate;
        if (link !== undefined && !waitsMore) return this.#held(link);
        if (this.#opening.size === 0) this.#startOpening();
        if (link === undefined) await Promise.race(this.#opening);
        else isLate = await this.#isLate();
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** From here on new requests take new connections; those under way may end. */
  retire(): void {
    this.#isOldProtocol = false;
    for (const link of this.#links) this.#letGo(link);
    this.#kept.retire();
  }

  /** Ends all of them at once. */
  destroy(): void {
    for (const { session } of this.#links) session.destroy();
    this.#kept.destroy();
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

  #held(link: Link): HeldSession {
    link.streams += 1;
    link.cancelIdle();
    let isHeld = true;
    return {
      kind: 'shared',
      session: link.session,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        link.streams -= 1;
        if (link.streams === 0) this.#idle(link);
      },
    };
  }

  #idle(link: Link): void {
    link.cancelIdle = this.#parts.clock.after(IDLE_MS, () => {
      this.#letGo(link);
    });
  }

  #letGo(link: Link): void {
    link.cancelIdle();
    this.#links.delete(link);
    link.session.close();
  }

  /** undefined: all have as many streams as the server takes. */
  #leastBusy(): Link | undefined {
    let best: Link | undefined;
    for (const link of this.#links) {
      if (link.session.closed || link.session.destroyed) continue;
      if (link.streams >= streamsMax(link.session)) continue;
      if (best === undefined || link.streams < best.streams) best = link;
    }
    return best;
  }

  #openMore(): void {
    const there = this.#links.size + this.#opening.size;
    // The first one tells which protocol it is.
    if (this.#links.size === 0 && there > 0) return;
    let requests = this.#waiting;
    for (const { streams } of this.#links) requests += streams;
    const wanted = Math.max(
      Math.min(requests, SESSIONS_MIN),
      Math.ceil(requests / this.#streamsWanted()),
    );
    for (let count = there; count < wanted && (count === 0 || this.#links.size > 0); count += 1) {
      this.#startOpening();
    }
  }

  #startOpening(): void {
    const opening: Promise<void> = this.#open().finally(() => this.#opening.delete(opening));
    // Requests that wait for it are told; the others have a connection already.
    opening.catch(() => undefined);
    this.#opening.add(opening);
  }

  #streamsWanted(): number {
    let least = STREAMS_WANTED;
    for (const { session } of this.#links) least = Math.min(least, streamsMax(session));
    return least;
  }

  async #open(): Promise<void> {
    const { clock } = this.#parts;
    const socket = await openTls(this.#place, this.#parts, PROTOCOLS);
    if (socket.alpnProtocol !== 'h2') {
      this.#isOldProtocol = true;
      socket.destroy();
      return;
    }
    const session = connectHttp2(`https://${hostAndPort(this.#place)}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    await ready(session);
    session.setLocalWindowSize(WINDOW_BYTES);
    const link: Link = { session, streams: 0, cancelIdle: () => undefined };
    this.#links.add(link);
    this.#idle(link);
    const gone = (): void => {
      link.cancelIdle();
      this.#links.delete(link);
    };
    session.once('goaway', gone);
    session.once('close', gone);
    keepAlive(session, clock);
  }
}

function streamsMax({ remoteSettings }: ClientHttp2Session): number {
  // A server that takes none at all refuses the one that it is sent.
  return Math.max(remoteSettings.maxConcurrentStreams ?? STREAMS_WANTED, 1);
}

/** Resolves when the server has said how much it takes. */
function ready(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    // Told to the streams as well; without a listener it would end the process.
    session.on('error', reject);
    session.once('remoteSettings', () => {
      resolve();
    });
    session.once('close', () => {
      reject(new Error('EOF'));
    });
  });
}

/** A connection whose other end is gone without a word ends. */
function keepAlive(session: ClientHttp2Session, clock: Clock): void {
  let cancel = clock.after(PING_EVERY_MS, ping);
  session.once('close', () => {
    cancel();
  });
  function ping(): void {
    if (session.destroyed || session.closed) return;
    cancel = clock.after(PING_MS, () => {
      session.destroy(new Error('http2: client connection lost'));
    });
    session.ping(() => {
      cancel();
      if (!session.destroyed) cancel = clock.after(PING_EVERY_MS, ping);
    });
  }
}
