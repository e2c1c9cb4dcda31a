/**
 * The end of a client that sends bytes of another protocol in WebSocket messages: read and written as those
 * bytes, wherever the messages begin and end.
 *
 * The surprise: the protocol of a port-forward has a slash in its name, `SPDY/3.1+portforward.k8s.io`, which is no
 * token of HTTP; `ws` refuses its handshake, and kubectl falls back to SPDY without a word.
 *
 * In Kubernetes: TunnelingConnection, client-go/tools/portforward.
 */
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import type { UpgradedClient } from '../../actors/request/answer.ts';
import { writeMessage } from './gathered-writes.ts';
import {
  closeFrame,
  handshakeAnswer,
  messageHead,
  pongFrame,
  type WebSocketEvent,
  WebSocketReader,
} from './web-socket-frames.ts';

const NORMAL_CLOSURE = 1_000;
const REFUSAL = 'Bad Request';

/**
 * Answers the client's handshake, with this protocol; '': with none.
 *
 * @returns whether it is one; else it is refused, and the connection ends.
 */
export function tookHandshake({ incoming, socket }: UpgradedClient, protocol: string): boolean {
  const { method = '', headers } = incoming as IncomingMessage; // The door hands over what it got.
  const answer = handshakeAnswer(method, headers, protocol);
  if (answer !== undefined) {
    socket.write(answer);
    return true;
  }
  const head = `HTTP/1.1 400 ${REFUSAL}\r\nConnection: close\r\nContent-Type: text/plain`;
  const length = `Content-Length: ${String(REFUSAL.length)}`;
  socket.on('error', () => undefined);
  socket.end(`${head}\r\n${length}\r\n\r\n${REFUSAL}`, () => socket.destroy());
  return false;
}

/** The bytes inside of the messages. Its handshake is behind it. */
export class MessageBytes extends Duplex {
  readonly #socket: Duplex;
  readonly #reader = new WebSocketReader();
  /** Called once the socket takes more. */
  #written: (() => void) | undefined;

  /** @param head what the client has sent behind its handshake. */
  constructor({ socket, head }: Pick<UpgradedClient, 'socket' | 'head'>) {
    super();
    this.#socket = socket;
    socket.pause();
    socket.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    if (head.length > 0) socket.unshift(head);
    socket.on('drain', () => {
      this.#goOn();
    });
    socket.on('error', () => undefined);
    socket.once('end', () => {
      this.push(null);
    });
    socket.once('close', () => {
      this.destroy();
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (writeMessage(this.#socket, messageHead(chunk.length), chunk)) done();
    else this.#written = done;
  }

  override _final(done: () => void): void {
    writeMessage(this.#socket, closeFrame(NORMAL_CLOSURE));
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    this.#goOn();
    done(error);
  }

  #goOn(): void {
    const done = this.#written;
    this.#written = undefined;
    done?.();
  }

  #take(chunk: Buffer): void {
    try {
      for (const event of this.#reader.read(chunk)) this.#receive(event);
    } catch {
      this.destroy();
    }
  }

  #receive({ kind, bytes }: WebSocketEvent): void {
    if (kind === 'data') {
      if (!this.push(bytes)) this.#socket.pause();
    } else if (kind === 'close') {
      this.push(null);
    } else if (!this.#socket.writableNeedDrain) {
      writeMessage(this.#socket, pongFrame(bytes));
    }
  }
}
