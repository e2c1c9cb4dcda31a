/**
 * One request and its answer on a connection of HTTP/2. What is to be sent is kept here until the
 * connection asks for it, at the end of the turn of the event loop: see connection.ts.
 *
 * The surprise: it counts as closed as soon as its last frame is handed to the socket, and those that
 * wait for that are told in a later turn, so that no caller is called back from its own call.
 *
 * In the RFCs: RFC 9113, section 5.1.
 */
import { Readable } from 'node:stream';
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { EMPTY_BODY, GatheredBody } from '../inbound/body-reader.ts';
import { ReceivedBytes } from '../inbound/received-bytes.ts';
import type { AnswerHeaders, ByteSource, Exchange, RawBody } from '../responses/exchange.ts';
import { CODE, type ErrorCode } from './frames.ts';
import type { RequestHead } from './request-fields.ts';
import { SendingStream } from './sending-stream.ts';

/** What a stream needs of its connection. */
export interface StreamHost {
  /** There is something to be sent. */
  wantsToSend(stream: Http2Stream): void;
  /** Bytes of its body were read, or will never be. */
  hasRead(stream: Http2Stream, bytes: number): void;
  /** The client is told that the stream ends here. */
  reset(stream: Http2Stream, code: ErrorCode): void;
  /** No request is taken any more: the client is to send its next one over another connection. */
  goAway(): void;
}

/** What takes a body as it comes. */
interface BodySink {
  add(chunk: Buffer): void;
  end(): void;
  breakOff(): void;
}

/** An answer's head that was not sent yet. */
export interface AnswerHead {
  readonly code: number;
  readonly headers: AnswerHeaders;
}

/** A request that came over HTTP/2, and by which its answer leaves. */
export class Http2Stream extends SendingStream implements Exchange {
  readonly method: string;
  readonly acceptEncoding: string;
  /** Streams do not wait for each other. */
  readonly isBehindOthers = false;
  readonly #host: StreamHost;

  /** How many bytes the client may send. */
  receiveWindow: number;
  /** Read, and not given back to the client's window yet. */
  unreturned = 0;

  /** The client has sent everything. */
  isReceived: boolean;
  readonly #hasBody: boolean;
  readonly #lengthSaid: number | undefined;
  #lengthReceived = 0;
  #unread: ReceivedBytes | undefined;
  #sink: BodySink | undefined;
  #body: Readable | undefined;
  /** The client sends its body only once it is told to. */
  #isContinueDue: boolean;

  #answerHead: AnswerHead | undefined;
  /** Its answer has a head only, whatever is written. */
  #isBodiless: boolean;
  headSent = false;
  #onClose: (() => void)[] | undefined;

  /** @param head undefined: it was larger than is read. */
  constructor(
    host: StreamHost,
    id: number,
    head: RequestHead | undefined,
    { isReceived, sendWindow, receiveWindow }: StreamStart,
  ) {
    super(id, sendWindow);
    this.#host = host;
    this.method = head?.method ?? '';
    this.#isBodiless = this.method === 'HEAD';
    this.acceptEncoding = String(head?.headers['accept-encoding'] ?? '');
    this.isReceived = isReceived;
    this.#hasBody = !isReceived;
    this.#lengthSaid = head?.contentLength;
    this.#isContinueDue = !isReceived && head?.headers['expect'] === '100-continue';
    this.receiveWindow = receiveWindow;
  }

  // The answer, as the server makes it.

  head(code: number, headers: AnswerHeaders): void {
    if (this.closed || this.headSent) return;
    this.headSent = true;
    this.#isContinueDue = false;
    this.#answerHead = { code, headers };
    if (code === NO_CONTENT || code === NOT_MODIFIED) this.#isBodiless = true;
    this.#host.wantsToSend(this);
    // HTTP/2 has no such header: the client is sent GOAWAY, and what is under way goes on to its end.
    if (headers['Connection'] === 'close') this.#host.goAway();
  }

  write(chunk: Buffer): boolean {
    if (this.closed || this.isEnded || this.#isBodiless) return true;
    this.keep(chunk);
    this.#host.wantsToSend(this);
    return this.hasRoom();
  }

  end(chunk?: Uint8Array): void {
    if (this.closed || this.isEnded) return;
    if (!this.headSent) this.head(OK, {});
    if (chunk !== undefined && !this.#isBodiless) this.keep(chunk);
    this.isEnded = true;
    this.#host.wantsToSend(this);
  }

  /** Before anything else of the body is written. */
  endFrom(source: ByteSource): void {
    if (!this.closed && !this.isEnded && !this.#isBodiless) this.keepSource(source);
    this.end();
  }

  onClose(callback: () => void): void {
    if (this.#onClose === undefined && this.closed) callback();
    else (this.#onClose ??= []).push(callback);
  }

  abort(): void {
    if (!this.closed) this.#host.reset(this, CODE.internalError);
  }

  // The answer, as the connection sends it.

  /** Given once. */
  takeHead(): AnswerHead | undefined {
    const head = this.#answerHead;
    this.#answerHead = undefined;
    return head;
  }

  get hasHead(): boolean {
    return this.#answerHead !== undefined || this.#isContinueNow;
  }

  /** Whether the client is to be told now to send its body; once. */
  takeContinue(): boolean {
    const isDue = this.#isContinueNow;
    if (isDue) this.#isContinueDue = false;
    return isDue;
  }

  get #isContinueNow(): boolean {
    return this.#isContinueDue && this.#sink !== undefined;
  }

  // The body, as the client sends it.

  /** @returns whether it is not longer than its request said. */
  receive(chunk: Buffer): boolean {
    this.#lengthReceived += chunk.length;
    if (this.#lengthReceived > (this.#lengthSaid ?? this.#lengthReceived)) return false;
    if (this.#sink === undefined) (this.#unread ??= new ReceivedBytes()).add(chunk);
    else this.#sink.add(chunk);
    return true;
  }

  /** @returns whether it is as long as its request said. */
  receiveEnd(): boolean {
    this.isReceived = true;
    if (this.#lengthReceived !== (this.#lengthSaid ?? this.#lengthReceived)) return false;
    this.#sink?.end();
    return true;
  }

  get body(): Readable | undefined {
    if (!this.#hasBody) return undefined;
    if (this.#body === undefined) {
      const sink = new BodyStream((bytes) => {
        this.#host.hasRead(this, bytes);
      });
      this.#body = sink.readable;
      this.#feed(sink);
    }
    return this.#body;
  }

  readBody(bytesMax: number): MaybePromise<RawBody> {
    if (!this.#hasBody) return EMPTY_BODY;
    if (this.isReceived && !this.closed && this.#sink === undefined) {
      const bytes = this.#takeUnread();
      this.#sink = NO_SINK;
      return bytes.length > bytesMax ? { kind: 'tooLarge' } : { kind: 'whole', bytes };
    }
    return new Promise((resolve) => {
      const gathered = new GatheredBody(bytesMax, resolve);
      this.#feed({
        add: (chunk) => {
          gathered.add(chunk);
          this.#host.hasRead(this, chunk.length);
        },
        end: () => {
          gathered.end();
        },
        breakOff: () => {
          gathered.breakOff();
        },
      });
    });
  }

  #feed(sink: BodySink): void {
    this.#sink = sink;
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread !== undefined && unread.size > 0) sink.add(unread.take());
    if (this.closed) sink.breakOff();
    else if (this.isReceived) sink.end();
    else if (this.#isContinueDue) this.#host.wantsToSend(this);
  }

  #takeUnread(): Buffer {
    const bytes = this.#unread?.take() ?? NONE;
    this.#unread = undefined;
    this.#host.hasRead(this, bytes.length);
    return bytes;
  }

  // Its end.

  /** @returns how many bytes of its body are not read. Call {@link tellClosed} in a later turn. */
  close(): number {
    this.closed = true;
    this.#answerHead = undefined;
    this.dropUnsent();
    const unread = this.#unread?.size ?? 0;
    this.#unread = undefined;
    return unread;
  }

  tellClosed(): void {
    this.#sink?.breakOff();
    const callbacks = this.#onClose;
    this.#onClose = undefined;
    if (callbacks !== undefined) for (const callback of callbacks) callback();
  }
}

/** Of a request whose head has come. */
export interface StreamStart {
  /** There is no body. */
  readonly isReceived: boolean;
  readonly sendWindow: number;
  readonly receiveWindow: number;
}

const NONE = Buffer.alloc(0);
const OK = 200;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

const NO_SINK: BodySink = { add: nothing, end: nothing, breakOff: nothing };

/** A body that is read piece by piece, as fast as its reader takes it. */
class BodyStream implements BodySink {
  readonly readable: Readable;
  readonly #hasRead: (bytes: number) => void;
  readonly #unread = new ReceivedBytes();
  #isWanted = false;
  #isEnded = false;

  constructor(hasRead: (bytes: number) => void) {
    this.#hasRead = hasRead;
    this.readable = new Readable({
      read: () => {
        this.#isWanted = true;
        this.#push();
      },
    });
    // A reader is told by its close that a body broke off.
    this.readable.on('error', nothing);
  }

  add(chunk: Buffer): void {
    this.#unread.add(chunk);
    this.#push();
  }

  end(): void {
    this.#isEnded = true;
    this.#push();
  }

  breakOff(): void {
    if (!this.#isEnded) this.readable.destroy(new Error('the body of the request broke off'));
  }

  #push(): void {
    const { size } = this.#unread;
    if (this.#isWanted && size > 0) {
      this.#isWanted = this.readable.push(this.#unread.take());
      this.#hasRead(size);
    }
    if (this.#isEnded && this.#unread.size === 0) this.readable.push(null);
  }
}

function nothing(): void {
  // The one that would be told has nothing to do.
}
