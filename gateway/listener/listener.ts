/**
 * The secure port: TLS with HTTP/2 and HTTP/1.1 on it, chosen by ALPN, and WebSocket by upgrade.
 *
 * tls-servers.ts shakes hands, and each socket goes to the protocol that its client chose;
 * first-bytes.ts stands in front. HTTP/2 is our own, in gateway/http2.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../api/meta/clock.ts';
import type { Ref } from '../../actors/request/actor.ts';
import type { Connection, RequestLine } from '../../actors/request/request-line.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import { receivedRequest } from '../../actors/request/server-request.ts';
import { Http2Connection } from '../http2/connection.ts';
import type { RequestHead } from '../http2/request-fields.ts';
import type { Http2Stream } from '../http2/stream.ts';
import { connectionOf } from '../inbound/client-certificate.ts';
import { requestLine } from '../inbound/request-reader.ts';
import { Http1Exchange } from './http1-exchange.ts';
import { firstBytesServer } from './first-bytes.ts';
import { HttpDoor, type DoorParts } from './http-door.ts';
import { BACKLOG } from './held-port.ts';
import { IdleConnections } from './idle-connections.ts';
import {
  HEAD_LIMITS,
  HTTP2_REFUSAL,
  http1Problem,
  http1Server,
  refuseBroken,
  refuseHead,
  refuseUpgrade,
} from './request-head.ts';
import { SlowClients } from './slow-clients.ts';
import { HANDSHAKE_MS, TlsServers, type ServingOptions } from './tls/tls-servers.ts';

/** Takes over a connection whose client asked for another protocol. */
export type UpgradeHandler = (
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  connection: Connection,
) => void;

/** Gives the same line where it is to be taken as it came. */
export type LineMeaning = (line: RequestLine) => RequestLine;

export interface ListenerParts extends DoorParts {
  readonly tls: ServingOptions;
  readonly clock: Clock;
  readonly filterChain: Ref<ReceivedRequest>;
  readonly upgrade: UpgradeHandler;
  /** The line by which the server goes on, where a page has a language of its own; undefined: as it came. */
  readonly meant?: LineMeaning | undefined;
  /** Requests at a time on one connection of HTTP/2. */
  readonly streamsPerConnection?: number | undefined;
  /** How long a client may need to take an answer, and for the head of a request at most. */
  readonly requestTimeoutMs?: number | undefined;
  /** Told of requests whose clients were too slow to send or to take. */
  readonly slowAborted?: ((request: ReceivedRequest) => void) | undefined;
  /** Told of each handshake that fails. */
  readonly handshakeFailed?: (() => void) | undefined;
}

const STREAMS_PER_CONNECTION = 250;
/** The same for the head of a request. In Kubernetes: ReadHeaderTimeout, apiserver/pkg/server. */
const HEAD_MS = 32_000;
const REQUEST_MS = 60_000;
/** Node looks for heads that are late that often in the time they have. */
const LOOKS_PER_HEAD = 4;
/** Behind what the server allows for a request: for those that it has no deadline for. */
const BODY_MS_MIN = 300_000;
/**
 * How long a connection waits for its next request. A client that sends one just when it is
 * closed sees an error, so it is long. In Kubernetes: IdleTimeout, apiserver/pkg/server.
 */
const IDLE_MS = 90_000;

export class Listener {
  readonly #parts: ListenerParts;
  readonly #tcp: TcpServer;
  /** What listens. */
  #open: TcpServer;
  readonly #tls: TlsServers;
  readonly #http1: Server;
  readonly #http2 = new Set<Http2Connection>();
  readonly #idle: IdleConnections;
  readonly #slow: SlowClients;
  readonly #requestTimeoutMs: number;
  readonly #sockets = new Set<TLSSocket>();
  readonly #connections = new WeakMap<object, Connection>();
  /** The last one on a connection of HTTP/1.1. */
  readonly #answers = new WeakMap<object, ServerResponse>();
  #isClosing = false;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#idle = new IdleConnections(parts.clock, IDLE_MS, this.#http2);
    this.#requestTimeoutMs = parts.requestTimeoutMs ?? REQUEST_MS;
    const { clock, slowAborted: aborted = ignore, handshakeFailed = ignore } = parts;
    this.#slow = new SlowClients({ clock, takeMs: this.#requestTimeoutMs, aborted });
    this.#http1 = this.#http1Server();
    this.#tls = new TlsServers(parts.tls, {
      secured: (socket) => {
        this.#take(socket);
      },
      failed: handshakeFailed,
    });
    this.#tcp = firstBytesServer({
      clock,
      waitMs: HANDSHAKE_MS,
      readsNames: parts.tls.named !== undefined,
      take: (socket, serverName) => {
        this.#tls.take(socket, serverName);
      },
      refused: handshakeFailed,
    });
    this.#open = this.#tcp;
  }

  /**
   * @param port 0: any that is free.
   * @param isShared whether another process may listen on the same port.
   * @throws Error with the system's code, as EADDRINUSE.
   */
  listen(port: number, host: string, isShared = false): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tcp.once('error', reject);
      // Node 20, whose types these are, does not know how to share a port; the flag is refused there.
      const where = { port, host, backlog: BACKLOG, ...(isShared && { reusePort: true }) };
      this.#tcp.listen(where, () => {
        this.#tcp.off('error', reject);
        // A connection that cannot be taken, for want of descriptors, is no reason to stop serving.
        this.#tcp.on('error', ignore);
        resolve();
      });
    });
  }

  /**
   * Serves what another server accepts, which listens already; it is closed as one of its own.
   *
   * @returns what takes the connections.
   */
  serve(open: TcpServer): (socket: Socket) => void {
    this.#open = open;
    return (socket) => void this.#tcp.emit('connection', socket);
  }

  /** The port it listens on; 0 before. */
  get port(): number {
    const address = this.#open.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  /** Resolves when the last connection is closed; those that rest are closed right away. */
  async whenClosed(): Promise<void> {
    this.#http1.closeIdleConnections();
    await new Promise<void>((resolve) => {
      if (this.#sockets.size === 0) resolve();
      for (const socket of this.#sockets) {
        socket.once('close', () => {
          if (this.#sockets.size === 0) resolve();
        });
      }
    });
    // Its looks at slow heads would hold it, and all behind it, for as long as the process lives.
    this.#http1.close();
  }

  /** Takes no new connections, and tells the open ones to send nothing more. */
  stopAccepting(): void {
    this.#isClosing = true;
    this.#open.close();
    for (const connection of this.#http2) connection.close();
    this.#http1.closeIdleConnections();
  }

  /** How new connections are shaken hands with; where other clients are believed, the open ones end. */
  renew(tls: ServingOptions, { authorities }: { readonly authorities: boolean }): void {
    this.#tls.renew(tls);
    if (!authorities) return;
    for (const connection of this.#http2) connection.close();
    this.#http1.closeIdleConnections();
  }

  #take(socket: TLSSocket): void {
    // Its handshake was under way when the doors were closed.
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.setNoDelay(true);
    // Every answer that waits on it listens to it, and node warns of many.
    socket.setMaxListeners(0);
    const connection = connectionOf(socket);
    if (socket.alpnProtocol === 'h2') {
      this.#serveHttp2(socket, connection);
      return;
    }
    this.#connections.set(socket, connection);
    this.#http1.emit('connection', socket);
  }

  #connectionOf(socket: object): Connection {
    const connection = this.#connections.get(socket);
    if (connection === undefined) throw new Error('a request came over an unknown connection');
    return connection;
  }

  #http1Server(): Server {
    const server = http1Server(this.#http1Limits(), (incoming, response) => {
      const { socket, rawHeaders } = incoming;
      const problem = http1Problem(rawHeaders);
      if (problem !== undefined) {
        refuseHead(response, problem);
        return;
      }
      const line = requestLine({
        method: incoming.method ?? 'GET',
        target: incoming.url ?? '/',
        headers: incoming.headers,
        rawHeaders,
        connection: this.#connectionOf(socket),
        isWebSocket: false,
      });
      this.#answers.set(socket, response);
      const exchange = new Http1Exchange(incoming, response, line.headers);
      const request = receivedRequest(this.#meant(line), new HttpDoor(exchange, this.#parts));
      const closed = this.#slow.watch(exchange, request);
      response.once('close', () => {
        // What is left of a body is read on, for its client may not listen before it has sent all.
        if (incoming.complete) closed();
        else incoming.once('close', closed);
        // Else it would wait for another request, which is not to come.
        if (this.#isClosing) socket.end();
      });
      this.#parts.filterChain.send(request);
    });
    server.on('upgrade', (incoming, socket, head) => {
      const problem = http1Problem(incoming.rawHeaders);
      if (problem !== undefined) {
        refuseUpgrade(socket, problem);
        return;
      }
      this.#parts.upgrade(incoming, socket, head, this.#connectionOf(incoming.socket));
    });
    // It never listens itself, and would not keep track of its connections: idle ones could not be
    // closed, and slow ones would never time out.
    server.emit('listening');
    server.on('clientError', (error, socket) => {
      refuseBroken(socket, error, this.#answers.get(socket));
    });
    return server;
  }

  #meant(line: RequestLine): RequestLine {
    return this.#parts.meant?.(line) ?? line;
  }

  #http1Limits() {
    const headersTimeout = Math.min(HEAD_MS, this.#requestTimeoutMs);
    return {
      keepAliveTimeout: IDLE_MS,
      headersTimeout,
      connectionsCheckingInterval: headersTimeout / LOOKS_PER_HEAD,
      requestTimeout: Math.max(BODY_MS_MIN, this.#requestTimeoutMs),
    };
  }

  #serveHttp2(socket: TLSSocket, connection: Connection): void {
    const http2 = new Http2Connection({
      socket,
      clock: this.#parts.clock,
      limits: HEAD_LIMITS,
      streamsMax: this.#parts.streamsPerConnection ?? STREAMS_PER_CONNECTION,
      request: (stream, head) => {
        this.#receive(stream, head, connection);
      },
    });
    this.#http2.add(http2);
    this.#idle.look();
    socket.once('close', () => {
      this.#http2.delete(http2);
      this.#idle.look();
    });
  }

  #receive(stream: Http2Stream, head: RequestHead | undefined, connection: Connection): void {
    if (head === undefined) {
      stream.head(HTTP2_REFUSAL.code, HTTP2_REFUSAL.headers);
      stream.end(HTTP2_REFUSAL.body);
      return;
    }
    // What is added stands in front: behind a spread, Node 20 adds each key by a call of about 1 µs.
    const line = requestLine({ connection, isWebSocket: false, ...head });
    const request = receivedRequest(this.#meant(line), new HttpDoor(stream, this.#parts));
    stream.onClose(this.#slow.watch(stream, request));
    this.#parts.filterChain.send(request);
  }
}

function ignore(): void {
  // The other end is gone; what was open on the connection is told by its own close event.
}
