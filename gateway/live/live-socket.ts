/**
 * The WebSocket under a live connection. Frames are put together here and written to the socket as one piece;
 * `ws` does the handshake and everything that the client sends.
 *
 * A client that floods is not cut off: its messages are read no faster than the limits say, and what it
 * sends beyond that waits in the socket.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { UpgradedClient } from '../../actors/request/answer.ts';
import { LIVE_CLOSE, LIVE_LIMITS } from '../../api/live/live-limits.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { Output } from '../http2/output.ts';
import { webSocketHead, TEXT } from '../watch/framing.ts';
import type { LiveWire, OutgoingMessage } from './live-wire.ts';

/** Beyond that, the client is held to be slow. */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** So much is taken before it goes out. */
const TAKEN_BYTES = 256 * 1024;
/** Frames are joined up to this, so that TLS encrypts them together, and no further: it has to fit the caches. */
const JOINED_BYTES = 64 * 1024;
/** Of a longer piece, so much at a time: as much as a record of TLS holds. */
const PART_BYTES = 16 * 1024;
/** So often it is looked whether the client is there; one that does not answer until the next time is not. */
const PING_MS = 30_000;
const CLOSING_MS = 5_000;
const MS = 1_000;

/** What takes what the client says. */
export interface SocketListener {
  /** A message of the client, whole. */
  receive(text: string): void;
  /** The client has taken what it was sent. */
  drained(): void;
  /** The wire is to be closed from this side. @param code of the closing frame */
  end(code: number, reason: string): void;
  /** The wire is gone. Safe to call twice. */
  closed(): void;
}

/** Answers the handshake. @param opened is given the wire, and gives what listens to the client. */
export type OpenSocket = (
  client: UpgradedClient,
  clock: Clock,
  opened: (wire: LiveWire) => SocketListener,
) => void;

/** Sockets that agree to this subprotocol, where the client offers it. */
export function socketsFor(protocol: string): OpenSocket {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: LIVE_LIMITS.messageBytesMax,
    handleProtocols: (offered) => offered.has(protocol) && protocol,
  });
  return ({ incoming, socket, head }, clock, opened) => {
    // The door hands over what it got.
    server.handleUpgrade(incoming as IncomingMessage, socket, head, (webSocket) => {
      const wire = new SocketWire(webSocket, socket, clock);
      wire.listen(opened(wire));
    });
  };
}

/** Of all sockets: each hands over what it has made before another one begins. */
const output = new Output();

class SocketWire implements LiveWire {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #clock: Clock;
  #pieces: Buffer[] = [];
  #piecesBytes = 0;
  #tokens: number = LIVE_LIMITS.messagesAtOnce;
  #filledAt: number;
  /** It says more than may be read just now. */
  #isTooFast = false;
  /** It does not take what it was sent, so that what it asks for would have to be kept. */
  #isTooFull = false;
  #isAlive = true;
  #cancelPing: () => void = () => undefined;

  constructor(webSocket: WebSocket, socket: Duplex, clock: Clock) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#clock = clock;
    this.#filledAt = clock.now();
  }

  get isFull(): boolean {
    return this.#socket.writableLength + this.#piecesBytes > UNSENT_BYTES_MAX;
  }

  listen(listener: SocketListener): void {
    const webSocket = this.#webSocket;
    webSocket.on('error', () => {
      // `ws` tells the client why, if it can.
      this.#terminateLater();
    });
    webSocket.on('message', (data, isBinary) => {
      if (isBinary) {
        listener.end(LIVE_CLOSE.malformed, 'messages are text');
        return;
      }
      this.#count();
      listener.receive(textOf(data));
      this.#isTooFull = this.isFull;
      this.#readOrRest();
    });
    webSocket.on('pong', () => {
      this.#isAlive = true;
    });
    this.#socket.on('drain', () => {
      listener.drained();
      this.#isTooFull = this.isFull;
      this.#readOrRest();
    });
    this.#socket.once('close', () => {
      this.#cancelPing();
      listener.closed();
    });
    if (this.#socket.destroyed) listener.closed();
    else this.#pingLater();
  }

  send({ parts }: OutgoingMessage): void {
    let length = 0;
    for (const part of parts) length += part.length;
    const head = webSocketHead(TEXT, length);
    this.#pieces.push(head, ...parts);
    this.#piecesBytes += head.length + length;
    if (this.#piecesBytes >= TAKEN_BYTES) this.flush();
  }

  flush(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    this.#pieces = [];
    this.#piecesBytes = 0;
    if (this.#socket.destroyed || this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    output.begin();
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; at += PART_BYTES) {
        output.bytes(piece.length <= PART_BYTES ? piece : piece.subarray(at, at + PART_BYTES));
        if (output.size < JOINED_BYTES) continue;
        output.writeTo(this.#socket);
        output.begin();
      }
    }
    if (output.size > 0) output.writeTo(this.#socket);
  }

  close(code: number, reason: string): void {
    this.flush();
    // A reason has at most 123 bytes.
    this.#webSocket.close(code, reason.slice(0, 100));
    this.#terminateLater();
  }

  /** A client that reads nothing does not answer a close either. */
  #terminateLater(): void {
    this.#clock.after(CLOSING_MS, () => {
      this.#webSocket.terminate();
    });
  }

  /** One message was read; where they come too fast, none is read for a while. */
  #count(): void {
    const now = this.#clock.now();
    const { messagesAtOnce, messagesPerSecond } = LIVE_LIMITS;
    const gained = (Math.max(0, now - this.#filledAt) * messagesPerSecond) / MS;
    this.#tokens = Math.min(messagesAtOnce, this.#tokens + gained) - 1;
    this.#filledAt = now;
    if (this.#tokens >= 0 || this.#isTooFast) return;
    this.#isTooFast = true;
    this.#clock.after((-this.#tokens * MS) / messagesPerSecond, () => {
      this.#isTooFast = false;
      this.#readOrRest();
    });
  }

  /** Nothing is read while the client is too fast, or takes nothing: what was read already comes all the same. */
  #readOrRest(): void {
    const isResting = this.#isTooFast || this.#isTooFull;
    if (isResting === this.#webSocket.isPaused) return;
    if (isResting) this.#webSocket.pause();
    else this.#webSocket.resume();
  }

  #pingLater(): void {
    this.#cancelPing = this.#clock.after(PING_MS, () => {
      // A client that has yet to take what it was sent cannot answer.
      if (!this.#isAlive && this.#socket.writableLength === 0) {
        this.#webSocket.terminate();
        return;
      }
      this.#isAlive = false;
      if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping();
      this.#pingLater();
    });
  }
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString();
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data).toString();
}
