/** A WebSocket as it is: its frames, its close code, and what refused it. */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { WebSocket } from 'ws';

import { eventually, type Patience } from '../support/eventually.ts';
import { type JsonValue, parseJson } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import type { RunningServer } from '../support/server.ts';

export interface Message {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** The server answered the handshake with an ordinary answer. */
export class RefusedUpgrade extends Error {
  override readonly name = 'RefusedUpgrade';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonValue;

  constructor({ statusCode, headers }: IncomingMessage, text: string) {
    super(`${String(statusCode)} ${text}`);
    this.status = statusCode ?? 0;
    this.headers = headers;
    this.body = parseJson(text);
  }
}

export interface Handshake {
  readonly protocols?: string[];
  readonly headers?: OutgoingHttpHeaders;
  readonly isAdmin?: boolean;
}

export class RawWebSocket {
  readonly messages: Message[] = [];
  /** Resolves to the close code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data, isBinary) => {
      this.messages.push({ data: data as Buffer, isBinary }); // As binaryType is 'nodebuffer'.
    });
  }

  /** Without `isAdmin` it shows no certificate. @throws RefusedUpgrade */
  static open(
    server: RunningServer,
    path: string,
    { protocols = [], headers = {}, isAdmin = false }: Handshake = {},
  ): Promise<RawWebSocket> {
    const { ca, cert, key } = readKubeconfig(server.kubeconfig);
    const url = server.url.replace(/^https/, 'wss') + path;
    const identity = isAdmin ? { ca, cert, key } : { ca };
    const socket = new WebSocket(url, protocols, { ...identity, headers });
    const raw = new RawWebSocket(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        resolve(raw);
      });
      socket.on('error', reject);
      socket.once('unexpected-response', (_request, incoming: IncomingMessage) => {
        void refusalOf(incoming).then(reject, reject);
      });
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  /** Resolves when the pong is there. */
  async ping(): Promise<void> {
    const pong = once(this.#socket, 'pong');
    this.#socket.ping('are you there?');
    await pong;
  }

  async untilCount(count: number, patience?: Patience): Promise<void> {
    const wanted = () => `${String(count)} messages; received ${String(this.messages.length)}`;
    await eventually(wanted, () => this.messages.length >= count || undefined, patience);
  }

  /** Stops reading. */
  stall(): void {
    this.#socket.pause();
  }

  goOn(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.close();
  }
}

async function refusalOf(incoming: IncomingMessage): Promise<RefusedUpgrade> {
  incoming.setEncoding('utf8');
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return new RefusedUpgrade(incoming, text);
}
