/** A request to an aggregated server as a stream of HTTP/2, and its answer. */
import type { Readable } from 'node:stream';
import type { AnswerTaker, ClientStream } from '../http2/client/client-stream.ts';
import { CANCELED, type SentRequest, type ServerAnswer } from './server-answer.ts';
import type { SharedConnection } from './server-connections.ts';

/** @param authority of the server. @throws Error what came in the way. */
export function overHttp2(
  authority: string,
  { connection }: SharedConnection,
  { method, path, headers, body, end }: SentRequest,
): Promise<ServerAnswer> {
  return new Promise((resolve, reject) => {
    const line = { method, path, scheme: 'https', authority } as const;
    const start = { line, headers, hasBody: body !== undefined };
    const whenOver = (): void => {
      end.stops(undefined);
      body?.destroy();
    };
    const answer = new Http2Answer({ resolve, reject, whenOver }, (taker) =>
      connection.request(start, taker),
    );
    end.stops(answer.destroy);
    if (body !== undefined) send(body, answer.stream);
  });
}

/** As fast as the server takes it. An answer may come before all of it has gone. */
function send(body: Readable, stream: ClientStream): void {
  body.on('data', (chunk: Buffer) => {
    if (!stream.write(chunk)) body.pause();
  });
  stream.onDrain(() => {
    body.resume();
  });
  body.once('end', () => {
    stream.end();
  });
  body.on('error', () => undefined);
  body.once('close', () => {
    if (!stream.isEnded) stream.cancel('unexpected EOF');
  });
}

interface Waiting {
  readonly resolve: (answer: ServerAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly whenOver: () => void;
}

/** Its stream tells it of what comes. */
class Http2Answer implements AnswerTaker, ServerAnswer {
  readonly stream: ClientStream;
  readonly #waiting: Waiting;
  #wake: (() => void) | undefined;

  constructor(waiting: Waiting, ask: (taker: AnswerTaker) => ClientStream) {
    this.#waiting = waiting;
    this.stream = ask(this);
  }

  get code(): number {
    return this.stream.code;
  }

  get rawHeaders(): readonly string[] {
    return this.stream.headers;
  }

  get body(): AsyncIterable<Buffer> {
    return { [Symbol.asyncIterator]: () => this.#chunks() };
  }

  whole(): Buffer | undefined {
    return this.stream.isReceived ? (this.stream.read() ?? NONE) : undefined;
  }

  readonly destroy = (): void => {
    this.stream.cancel(CANCELED);
  };

  head(): void {
    this.#waiting.resolve(this);
  }

  more(): void {
    this.#wake?.();
  }

  over(): void {
    this.#waiting.whenOver();
    const { code, error } = this.stream;
    // Where there is an answer its reader is told.
    if (code !== 0) this.#waiting.resolve(this);
    else if (error !== undefined) this.#waiting.reject(error);
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    const { stream } = this;
    for (;;) {
      const chunk = stream.read();
      if (chunk !== undefined) yield chunk;
      else if (stream.error !== undefined) throw stream.error;
      else if (stream.isReceived) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}

const NONE = Buffer.alloc(0);
