/**
 * A request to an aggregated server over HTTP/1.1, and its answer. What comes with one read of the
 * connection, as most answers do, is there whole when its head is.
 */
import type { Dispatcher } from 'undici';
import type { KeptConnection } from './kept-connections.ts';
import { CANCELED, ExchangeError, type SentRequest, type ServerAnswer } from './server-answer.ts';
import { hostAndPort, type ServerPlace } from './server-place.ts';

/** The connection had carried another request, and ended with this one. */
export const STALE = 'ERR_STALE_CONNECTION';

/** What waits for a slow client before no more is read. */
const UNREAD_BYTES_MAX = 64 * 1024;
const FINAL_FROM = 200;

/** What is about one connection, and undici's own to say. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['transfer-encoding', 'expect']);

/** @throws Error what came in the way. */
export function overHttp1(
  { host, port, servername }: ServerPlace,
  link: KeptConnection,
  { method, path, headers: passed, body, end }: SentRequest,
): Promise<ServerAnswer> {
  const headers = ['host', hostAndPort({ host, port })];
  for (let at = 0; at + 1 < passed.length; at += 2) {
    const name = passed[at] ?? '';
    if (!OF_CONNECTION.has(name.toLowerCase())) headers.push(name, passed[at + 1] ?? '');
  }
  return new Promise((resolve, reject) => {
    const answer = new Http1Answer(link, { resolve, reject }, () => {
      end.stops(undefined);
    });
    end.stops(answer.destroy);
    // Its type lacks the name of the server, with which the connection was made.
    const options = {
      path,
      method,
      headers,
      body: body ?? null,
      servername,
    } as Dispatcher.DispatchOptions;
    link.client.dispatch(options, answer);
  });
}

interface Waiting {
  readonly resolve: (answer: ServerAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** undici tells it of what comes. */
class Http1Answer implements Dispatcher.DispatchHandler, ServerAnswer {
  code = 0;
  rawHeaders: readonly string[] = [];
  readonly body: AsyncIterable<Buffer>;
  readonly #link: KeptConnection;
  readonly #waiting: Waiting;
  readonly #whenOver: () => void;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #resume: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #isWhole = false;
  #error: Error | undefined;

  constructor(link: KeptConnection, waiting: Waiting, whenOver: () => void) {
    this.#link = link;
    this.#waiting = waiting;
    this.#whenOver = whenOver;
    this.body = { [Symbol.asyncIterator]: () => this.#chunks() };
  }

  readonly whole = (): Buffer | undefined => {
    if (!this.#isWhole) return undefined;
    const [first] = this.#unread;
    return this.#unread.length === 1 ? first : Buffer.concat(this.#unread);
  };

  /** An answer that has come lets its connection be the next request's. */
  readonly destroy = (): void => {
    this.#end(new ExchangeError(CANCELED));
  };

  onConnect(): void {
    // The request is written; what ends it ends its connection.
  }

  onHeaders(code: number, raw: Buffer[], resume: () => void): boolean {
    if (code < FINAL_FROM) return true;
    this.code = code;
    this.rawHeaders = raw.map((one) => one.toString('latin1'));
    this.#resume = resume;
    // Its reader comes when all that was read has been told: then it knows whether it is whole.
    this.#waiting.resolve(this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    this.#wake?.();
    return this.#unreadBytes < UNREAD_BYTES_MAX;
  }

  onComplete(): void {
    this.#isWhole = true;
    this.#over();
    this.#link.release();
  }

  onError(error: Error): void {
    this.#end(this.#told(error));
  }

  #end(told: Error): void {
    if (this.#isWhole || this.#error !== undefined) return;
    this.#error = told;
    this.#over();
    this.#link.destroy(told);
    // Where there is an answer already its reader is told.
    this.#waiting.reject(told);
  }

  #told(error: Error): Error {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET') return error;
    if (this.code !== 0) return new ExchangeError('unexpected EOF');
    const told = new ExchangeError('EOF');
    return this.#link.isUsed ? Object.assign(told, { code: STALE }) : told;
  }

  #over(): void {
    this.#whenOver();
    this.#wake?.();
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const unread = this.#unread;
      this.#unread = [];
      for (const chunk of unread) {
        this.#unreadBytes -= chunk.length;
        yield chunk;
      }
      if (this.#unread.length > 0) continue;
      if (this.#error !== undefined) throw this.#error;
      if (this.#isWhole) return;
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#resume?.();
      await more;
      this.#wake = undefined;
    }
  }
}
