/**
 * One request over HTTP/2 and its answer, as a client has them. What comes is kept until it is read, at most a
 * window of it; what is written waits in the sending half.
 *
 * The surprise: it may be reset before its head was sent. Then the server never hears of it.
 *
 * In the RFCs: RFC 9113, sections 5.1 and 8.1.
 */
import { ReceivedBytes } from '../../inbound/received-bytes.ts';
import { CODE, type ErrorCode } from '../frames.ts';
import type { RequestLine } from '../hpack-encoder.ts';
import { SendingStream } from '../sending-stream.ts';
import type { AnswerFields } from './answer-fields.ts';
import { StreamError } from './stream-error.ts';

/** Is told of what comes, from inside of the reading of its connection. */
export interface AnswerTaker {
  /** The head of the answer is there, and its body where that is short and came soon. */
  head(): void;
  /** There is more of its body, its end, or what broke it. */
  more(): void;
  /** Nothing more is sent or received. */
  over(): void;
}

/** What a stream needs of its connection. */
export interface ClientStreamHost {
  /** There is something to be sent. */
  wantsToSend(stream: ClientStream): void;
  /** Bytes of its answer were read, or will never be. */
  hasRead(stream: ClientStream, bytes: number): void;
  /** The server is told that the stream ends here. */
  reset(stream: ClientStream, code: ErrorCode, error: StreamError): void;
}

/** What is sent first. */
export interface RequestStart {
  readonly line: RequestLine;
  /** Names and values by turns. */
  readonly headers: readonly string[];
  readonly hasBody: boolean;
}

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
const FINAL_FROM = 200;
const SHORT_BYTES = 64 * 1_024;
const NONE: readonly string[] = [];

export class ClientStream extends SendingStream {
  /** Of the answer; 0: it is not there. */
  code = 0;
  /** Of the answer: names in lower case and values by turns. */
  headers = NONE;
  /** The same behind its body. */
  trailers = NONE;
  /** All of the answer has come. */
  isReceived = false;
  /** Why not all of it will. */
  error: StreamError | undefined;
  /** How many bytes the server may send. */
  receiveWindow: number;
  /** Read, and not given back to the server's window yet. */
  unreturned = 0;
  readonly #host: ClientStreamHost;
  readonly #taker: AnswerTaker;
  readonly #isHead: boolean;
  #start: RequestStart | undefined;
  #isHeadTold = false;
  #lengthSaid: number | undefined;
  #lengthReceived = 0;
  readonly #unread = new ReceivedBytes();

  constructor(
    { host, taker, start }: { host: ClientStreamHost; taker: AnswerTaker; start: RequestStart },
    id: number,
    { sendWindow, receiveWindow }: { sendWindow: number; receiveWindow: number },
  ) {
    super(id, sendWindow);
    this.receiveWindow = receiveWindow;
    this.#host = host;
    this.#taker = taker;
    this.#start = start;
    this.#isHead = start.line.method === 'HEAD';
    this.isEnded = !start.hasBody;
  }

  // The request.

  /** @returns whether more may be written before {@link onDrain} tells so. */
  write(chunk: Uint8Array): boolean {
    if (this.closed || this.isEnded) return true;
    this.keep(chunk);
    this.#host.wantsToSend(this);
    return this.hasRoom();
  }

  end(): void {
    if (this.closed || this.isEnded) return;
    this.isEnded = true;
    this.#host.wantsToSend(this);
  }

  /** No more of it is wanted. */
  cancel(why: string): void {
    if (!this.closed) this.#host.reset(this, CODE.cancel, new StreamError(why, 'told'));
  }

  get hasHead(): boolean {
    return this.#start !== undefined;
  }

  /** Given once. */
  takeHead(): RequestStart | undefined {
    const start = this.#start;
    this.#start = undefined;
    return start;
  }

  // The answer.

  /** All that has come and was not read; undefined: nothing has. */
  read(): Buffer | undefined {
    const { size } = this.#unread;
    if (size === 0) return undefined;
    const bytes = this.#unread.take();
    this.#host.hasRead(this, size);
    return bytes;
  }

  get unreadBytes(): number {
    return this.#unread.size;
  }

  /** Its head has come, or one that tells of it. @returns whether such a head may come now. */
  receiveHead({ code, headers, contentLength }: AnswerFields, isEnd: boolean): boolean {
    if (code < FINAL_FROM) return !isEnd;
    this.code = code;
    this.headers = headers;
    const isBodiless = this.#isHead || code === NO_CONTENT || code === NOT_MODIFIED;
    this.#lengthSaid = isBodiless ? 0 : contentLength;
    return !isEnd || this.#endReceived();
  }

  /** @returns whether it is not longer than its head said. */
  receive(chunk: Buffer): boolean {
    this.#lengthReceived += chunk.length;
    if (this.#lengthReceived > (this.#lengthSaid ?? this.#lengthReceived)) return false;
    this.#unread.add(chunk);
    return true;
  }

  /** @returns whether it is as long as its head said. */
  receiveEnd(trailers = NONE): boolean {
    this.trailers = trailers;
    return this.#endReceived();
  }

  #endReceived(): boolean {
    this.isReceived = this.#lengthReceived === (this.#lengthSaid ?? this.#lengthReceived);
    return this.isReceived;
  }

  /** Whether its body is so short that it is worth waiting for. */
  get isShort(): boolean {
    return (this.#lengthSaid ?? Infinity) <= SHORT_BYTES;
  }

  tellHead(): void {
    if (this.#isHeadTold) return;
    this.#isHeadTold = true;
    this.#taker.head();
  }

  tellMore(): void {
    this.#taker.more();
  }

  // Its end.

  /** @param error undefined: all of the answer has come. */
  close(error: StreamError | undefined): void {
    this.closed = true;
    this.#start = undefined;
    this.dropUnsent();
    if (!this.isReceived) this.error = error;
    this.#taker.more();
    this.#taker.over();
  }
}
