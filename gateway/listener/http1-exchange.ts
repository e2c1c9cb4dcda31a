/** An exchange on HTTP/1.1. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { IncomingHeaders } from '../../actors/request/request-line.ts';
import { readWholeBody } from '../inbound/body-reader.ts';
import type { AnswerHeaders, Exchange, RawBody } from '../responses/exchange.ts';
import type { WatchedExchange } from './slow-clients.ts';

export class Http1Exchange implements Exchange, WatchedExchange {
  readonly method: string;
  readonly acceptEncoding: string;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(incoming: IncomingMessage, response: ServerResponse, headers: IncomingHeaders) {
    this.#incoming = incoming;
    this.#response = response;
    this.method = incoming.method ?? 'GET';
    this.acceptEncoding = String(headers['accept-encoding'] ?? '');
    response.on('error', ignore);
  }

  get body(): Readable | undefined {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = this.#incoming.headers;
    return length === '0' && coding === undefined ? undefined : this.#incoming;
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.closed || this.#incoming.socket.destroyed;
  }

  get headSent(): boolean {
    return this.#response.headersSent;
  }

  get isEnded(): boolean {
    return this.#response.writableEnded;
  }

  get isBehindOthers(): boolean {
    return this.#response.socket === null && !this.#response.writableFinished;
  }

  head(code: number, headers: AnswerHeaders): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(code, headers);
    // A watch may have nothing to say for long, and its client waits to hear that it has begun.
    if (headers['content-length'] === undefined) this.#response.flushHeaders();
  }

  write(chunk: Buffer): boolean {
    return this.closed || this.#response.write(chunk);
  }

  end(chunk?: Uint8Array): void {
    if (this.closed) return;
    if (chunk === undefined || this.method === 'HEAD') this.#response.end();
    else this.#response.end(chunk);
    // The rest of a body that is not read would hold up the connection's next request.
    this.#incoming.resume();
  }

  onDrain(callback: () => void): void {
    this.#response.on('drain', callback);
  }

  onClose(callback: () => void): void {
    if (this.closed) {
      callback();
      return;
    }
    // An answer that waits behind others on its connection is not told when that breaks.
    const { socket } = this.#incoming;
    let isTold = false;
    const closed = (): void => {
      if (isTold) return;
      isTold = true;
      socket.off('close', closed);
      callback();
    };
    this.#response.once('close', closed);
    socket.once('close', closed);
  }

  abort(): void {
    this.#incoming.socket.destroy();
  }

  readBody(bytesMax: number): Promise<RawBody> {
    return readWholeBody(this.#incoming, bytesMax);
  }
}

function ignore(): void {
  // A client that goes away is no error of ours; the response closes anyway.
}
