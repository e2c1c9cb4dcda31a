/** An exchange on an HTTP/2 stream, over the core API: its compatibility layer costs as much as the rest. */
import type { ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { IncomingHeaders } from '../../actors/request/request-line.ts';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { EMPTY_BODY, readWholeBody } from '../inbound/body-reader.ts';
import type { AnswerHeaders, Exchange, RawBody } from '../responses/exchange.ts';
import type { WatchedExchange } from './slow-clients.ts';

export class Http2Exchange implements Exchange, WatchedExchange {
  readonly method: string;
  readonly acceptEncoding: string;
  readonly #stream: ServerHttp2Stream;
  readonly #hasBody: boolean;

  constructor(
    stream: ServerHttp2Stream,
    request: { method: string; headers: IncomingHeaders; hasBody: boolean },
  ) {
    this.#stream = stream;
    this.#hasBody = request.hasBody;
    this.method = request.method;
    this.acceptEncoding = String(request.headers['accept-encoding'] ?? '');
  }

  get body(): Readable | undefined {
    return this.#hasBody ? this.#stream : undefined;
  }

  get closed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get headSent(): boolean {
    return this.#stream.headersSent;
  }

  get isEnded(): boolean {
    return this.#stream.writableEnded;
  }

  /** Streams do not wait for each other. */
  readonly isBehindOthers = false;

  head(code: number, headers: AnswerHeaders): void {
    if (this.closed || this.#stream.headersSent) return;
    const own: AnswerHeaders & { ':status': number } = { ':status': code, ...headers };
    if (headers['Connection'] === undefined) {
      this.#stream.respond(own);
      return;
    }
    // HTTP/2 has no such header: a client that is to come by another connection is sent GOAWAY, and
    // what is under way on this one goes on to its end.
    const { Connection: connection, ...others } = own;
    this.#stream.respond(others);
    if (connection === 'close') this.#stream.session?.close();
  }

  write(chunk: Buffer): boolean {
    return this.closed || this.#stream.write(chunk);
  }

  end(chunk?: Uint8Array): void {
    if (this.closed) return;
    if (chunk === undefined || this.method === 'HEAD') this.#stream.end();
    else this.#stream.end(chunk);
  }

  onDrain(callback: () => void): void {
    this.#stream.on('drain', callback);
  }

  onClose(callback: () => void): void {
    if (this.#stream.destroyed) callback();
    else this.#stream.once('close', callback);
  }

  abort(): void {
    // `close(code)` of a stream that has begun its answer ends it as if the answer were whole;
    // `destroy(error)` sends RST_STREAM with INTERNAL_ERROR.
    if (!this.closed) this.#stream.destroy(new Error('the answer was cut off'));
  }

  readBody(bytesMax: number): MaybePromise<RawBody> {
    return this.#hasBody ? this.#readWhole(bytesMax) : EMPTY_BODY;
  }

  async #readWhole(bytesMax: number): Promise<RawBody> {
    const read = await readWholeBody(this.#stream, bytesMax);
    // To node a stream that the client resets has come to its end: half a body is no whole one.
    const isReset = this.#stream.aborted || this.#stream.rstCode !== 0;
    return isReset && read.kind === 'whole' ? { kind: 'brokenOff' } : read;
  }
}
