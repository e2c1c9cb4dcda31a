/**
 * The streams of a connection to a client, and how much of what that client does the server puts up with. Nothing here
 * is authenticated yet, so bodies that are not read are bounded by windows, and what brings the client nothing by the
 * patience of the server (patience.ts).
 *
 * In the RFCs: RFC 9113, sections 5.1, 5.2 and 10.5.
 */
import { ClosedStreams, type ClosedBy } from './closed-streams.ts';
import { CODE, ConnectionError, resetFrame, type ErrorCode } from './frames.ts';
import { OpenStreams } from './open-streams.ts';
import { Patience } from './patience.ts';
import type { RequestHead } from './request-fields.ts';
import type { AnswerSender } from './answer-sender.ts';
import { Http2Stream, type StreamHost } from './stream.ts';

/** Bytes of bodies that are not read yet: of one request, and of all on the connection. */
export const STREAM_WINDOW_BYTES = 128 * 1_024;
export const CONNECTION_WINDOW_BYTES = 256 * 1_024;
/** Requests that are taken back, by the client or for a fault of its own. As nghttp2 has it. */
const RESETS = { burst: 1_000, perSecond: 33 };
/** Where a client lets itself be sent less than this at a time, its frames do count. */
const DATA_BYTES_MIN = 32;

export interface StreamsParts {
  readonly sender: AnswerSender;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** No request is taken any more: the client is to send its next one over another connection. */
  readonly goAway: () => void;
}

export class Streams extends OpenStreams<Http2Stream> implements StreamHost {
  /** The largest number that the client has used. */
  last = 0;
  readonly #parts: StreamsParts;
  readonly #closed = new ClosedStreams();
  /** Closed in this turn, and not told so yet. */
  #closing: Http2Stream[] = [];
  readonly #resets: Patience;

  constructor(parts: StreamsParts) {
    super({
      sender: parts.sender,
      now: parts.now,
      connectionWindowBytes: CONNECTION_WINDOW_BYTES,
      streamWindowBytes: STREAM_WINDOW_BYTES,
    });
    this.#parts = parts;
    this.#resets = new Patience(RESETS, parts.now);
  }

  closedBy(id: number): ClosedBy {
    return this.#closed.closedBy(id);
  }

  /** Whatever closed it before: from now on nothing of it is on its way. */
  closedByClient(id: number): void {
    this.#closed.add(id, false);
  }

  /** @param head undefined: it is larger than is read. */
  open(id: number, head: RequestHead | undefined, isReceived: boolean): Http2Stream {
    this.requested();
    const stream = new Http2Stream(this, id, head, {
      isReceived,
      sendWindow: this.sendWindow,
      receiveWindow: STREAM_WINDOW_BYTES,
    });
    this.streams.set(id, stream);
    return stream;
  }

  // What streams ask of their connection.

  wantsToSend(stream: Http2Stream): void {
    this.#parts.sender.list(stream);
  }

  goAway(): void {
    this.#parts.goAway();
  }

  override hasRead(stream: Http2Stream, bytes: number): void {
    if (bytes === 0) return;
    this.returned(bytes);
    super.hasRead(stream, bytes);
  }

  reset(stream: Http2Stream, code: ErrorCode): void {
    if (stream.closed) return;
    this.#parts.sender.sayHead(stream);
    this.#parts.sender.say(resetFrame(stream.id, code));
    this.close(stream, true);
  }

  // Their end.

  /** Those that wait for it are told by {@link tellClosed}. */
  close(stream: Http2Stream, isByServer: boolean): void {
    if (stream.closed) return;
    this.streams.delete(stream.id);
    this.#closed.add(stream.id, isByServer);
    this.#closing.push(stream);
    this.returned(stream.close());
    this.usedAt = this.#parts.now();
    this.#parts.sender.flushLater();
  }

  /** The connection is over, and all of them with it. */
  closeAll(): void {
    this.isOver = true;
    this.streams.forEach((stream) => {
      this.close(stream, true);
    });
  }

  /** Of a stream that is not opened, or was. */
  refuse(id: number, code: ErrorCode): void {
    this.#closed.add(id, true);
    this.#parts.sender.say(resetFrame(id, code));
  }

  tellClosed(): void {
    const closing = this.#closing;
    if (closing.length === 0) return;
    this.#closing = [];
    for (const stream of closing) stream.tellClosed();
  }

  // What the client is let do.

  override sentData(bytes: number): void {
    if (bytes >= DATA_BYTES_MIN) super.sentData(bytes);
  }

  /** A request was begun for nothing. @throws ConnectionError */
  atFault(): void {
    if (this.#resets.spend(1)) return;
    throw new ConnectionError(CODE.enhanceYourCalm, 'too many requests are taken back');
  }

  /** @throws ConnectionError where that is too often too far. */
  override resetForFault(stream: Http2Stream, code: ErrorCode): void {
    this.reset(stream, code);
    this.atFault();
  }
}
