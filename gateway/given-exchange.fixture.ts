/** For tests of what is answered: an exchange without a wire, and requests that are on it. */
import { acceptanceOf } from './negotiation/accept.ts';
import type { IncomingHeaders } from '../actors/request/request-line.ts';
import { givenReceived } from '../actors/request/given.fixture.ts';
import type { Outcome, ReceivedRequest } from '../actors/request/request.ts';
import type { AnswerHeaders, Exchange, RawBody } from './responses/exchange.ts';

/** Keeps what is written. Full when told so. */
export class FakeExchange implements Exchange {
  readonly method: string;
  readonly acceptEncoding: string;
  readonly body = undefined;
  closed = false;
  code = 0;
  headers: AnswerHeaders = {};
  ended = false;
  aborted = false;
  /** Whether {@link write} says that it is full. */
  isFull = false;
  readonly chunks: Buffer[] = [];
  readonly #onDrain: (() => void)[] = [];
  #onClose: (() => void)[] = [];

  constructor(method = 'GET', acceptEncoding = '') {
    this.method = method;
    this.acceptEncoding = acceptEncoding;
  }

  get headSent(): boolean {
    return this.code !== 0;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  head(code: number, headers: AnswerHeaders): void {
    if (this.headSent) return;
    this.code = code;
    this.headers = headers;
  }

  write(chunk: Buffer): boolean {
    if (this.closed) return true;
    this.chunks.push(Buffer.from(chunk));
    return !this.isFull;
  }

  end(chunk?: Uint8Array): void {
    if (this.closed) return;
    if (chunk !== undefined) this.chunks.push(Buffer.from(chunk));
    this.ended = true;
    this.close();
  }

  onDrain(callback: () => void): void {
    this.#onDrain.push(callback);
  }

  onClose(callback: () => void): void {
    if (this.closed) callback();
    else this.#onClose.push(callback);
  }

  abort(): void {
    this.aborted = true;
    this.close();
  }

  readBody(): RawBody {
    return { kind: 'whole', bytes: Buffer.alloc(0) };
  }

  /** The client has read: there is room again. */
  drain(): void {
    this.isFull = false;
    for (const callback of this.#onDrain) callback();
  }

  /** The client goes away. */
  close(): void {
    this.closed = true;
    const callbacks = this.#onClose;
    this.#onClose = [];
    for (const callback of callbacks) callback();
  }

  /** How many wait for room, and for the end. */
  get listenerCount(): number {
    return this.#onDrain.length + this.#onClose.length;
  }
}

export interface Asked {
  readonly request: ReceivedRequest;
  /** How the request ended; empty while it has not. */
  readonly outcomes: readonly Outcome[];
}

export function asking(headers: IncomingHeaders = {}, query = ''): Asked {
  const outcomes: Outcome[] = [];
  const acceptance = acceptanceOf(headers, query);
  const { request } = givenReceived({
    ...{ url: `/?${query}`, headers, accepted: acceptance.any, acceptance },
    door: { readBody: () => new Promise<never>(() => undefined), answer: () => undefined },
  });
  request.atTheEnd((_request, outcome) => outcomes.push(outcome));
  return { request, outcomes };
}
