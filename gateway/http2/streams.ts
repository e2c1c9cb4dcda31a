/**
 * The streams of a connection: which are open, what they may still send, and how much of what their
 * client does the server puts up with. Nothing here is authenticated yet, so bodies that are not read are
 * bounded by windows, and what brings the client nothing by its patience (patience.ts).
 *
 * In the RFCs: RFC 9113, sections 5.1, 5.2 and 10.5.
 */
import { NumberedUnderWay } from '../../actors/request/under-way.ts';
import { ClosedStreams, type ClosedBy } from './closed-streams.ts';
import {
  CODE,
  ConnectionError,
  resetFrame,
  WINDOW_BYTES,
  WINDOW_BYTES_MAX,
  windowUpdate,
  type ErrorCode,
} from './frames.ts';
import { Patience } from './patience.ts';
import type { RequestHead } from './request-fields.ts';
import type { AnswerSender } from './answer-sender.ts';
import { Http2Stream, type StreamHost } from './stream.ts';

/** Bytes of bodies that are not read yet: of one request, and of all on the connection. */
export const STREAM_WINDOW_BYTES = 128 * 1_024;
export const CONNECTION_WINDOW_BYTES = 256 * 1_024;
/** Requests that are taken back, by the client or for a fault of its own. As nghttp2 has it. */
const RESETS = { burst: 1_000, perSecond: 33 };
/** Frames that bring the client nothing. */
const IDLE_FRAMES = { burst: 10_000, perSecond: 1_000 };
/** A request, and each frame of data, may be followed by some of them. */
const FRAMES_PER_REQUEST = 4;
const FRAMES_PER_DATA = 2;
const DATA_BYTES_PER_FRAME = 512;
/** Where a client lets itself be sent less than this at a time, its frames do count. */
const DATA_BYTES_MIN = 32;

export interface StreamsParts {
  readonly sender: AnswerSender;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** No request is taken any more: the client is to send its next one over another connection. */
  readonly goAway: () => void;
}

export class Streams implements StreamHost {
  /** The largest number that the client has used. */
  last = 0;
  /** When one closed last, or the connection began: milliseconds since 1970. */
  usedAt: number;
  readonly #parts: StreamsParts;
  readonly #open = new NumberedUnderWay<Http2Stream>();
  readonly #closed = new ClosedStreams();
  /** Closed in this turn, and not told so yet. */
  #closing: Http2Stream[] = [];
  readonly #resets: Patience;
  readonly #idleFrames: Patience;
  /** How many bytes each new stream may send. */
  #sendWindow = WINDOW_BYTES;
  #receiveWindow = CONNECTION_WINDOW_BYTES;
  /** Read, and not given back to the client's window yet. */
  #unreturned = 0;
  #isOver = false;

  constructor(parts: StreamsParts) {
    this.#parts = parts;
    this.usedAt = parts.now();
    this.#resets = new Patience(RESETS, parts.now);
    this.#idleFrames = new Patience(IDLE_FRAMES, parts.now);
  }

  get size(): number {
    return this.#open.size;
  }

  get(id: number): Http2Stream | undefined {
    return this.#open.get(id);
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
    this.#idleFrames.earn(FRAMES_PER_REQUEST);
    const stream = new Http2Stream(this, id, head, {
      isReceived,
      sendWindow: this.#sendWindow,
      receiveWindow: STREAM_WINDOW_BYTES,
    });
    this.#open.set(id, stream);
    return stream;
  }

  // What streams ask of their connection.

  wantsToSend(stream: Http2Stream): void {
    this.#parts.sender.list(stream);
  }

  goAway(): void {
    this.#parts.goAway();
  }

  hasRead(stream: Http2Stream, bytes: number): void {
    if (this.#isOver || bytes === 0) return;
    this.returned(bytes);
    if (stream.closed || stream.isReceived) return;
    stream.unreturned += bytes;
    if (2 * stream.unreturned < STREAM_WINDOW_BYTES) return;
    this.#parts.sender.say(windowUpdate(stream.id, stream.unreturned));
    stream.receiveWindow += stream.unreturned;
    stream.unreturned = 0;
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
    this.#open.delete(stream.id);
    this.#closed.add(stream.id, isByServer);
    this.#closing.push(stream);
    this.returned(stream.close());
    this.usedAt = this.#parts.now();
    this.#parts.sender.flushLater();
  }

  /** The connection is over, and all of them with it. */
  closeAll(): void {
    this.#isOver = true;
    this.#open.forEach((stream) => {
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

  /** Frames that cost the server something and bring the client nothing. @throws ConnectionError */
  spend(frames: number): void {
    if (this.#idleFrames.spend(frames)) return;
    throw new ConnectionError(CODE.enhanceYourCalm, 'too many frames that bring nothing');
  }

  /** Data was sent, which the client answers with frames that bring it nothing else. */
  sentData(bytes: number): void {
    if (bytes < DATA_BYTES_MIN) return;
    this.#idleFrames.earn(FRAMES_PER_DATA + bytes / DATA_BYTES_PER_FRAME);
  }

  /** A request was begun for nothing. @throws ConnectionError */
  atFault(): void {
    if (this.#resets.spend(1)) return;
    throw new ConnectionError(CODE.enhanceYourCalm, 'too many requests are taken back');
  }

  /** @throws ConnectionError */
  resetForFault(stream: Http2Stream, code: ErrorCode): void {
    this.reset(stream, code);
    this.atFault();
  }

  // Windows.

  /** @throws ConnectionError where the client was not allowed to send as much. */
  received(bytes: number): void {
    this.#receiveWindow -= bytes;
    if (this.#receiveWindow >= 0) return;
    throw new ConnectionError(CODE.flowControlError, 'more was sent than the connection takes');
  }

  /** They were read, or never will be. */
  returned(bytes: number): void {
    if (this.#isOver) return;
    this.#unreturned += bytes;
    if (2 * this.#unreturned < CONNECTION_WINDOW_BYTES) return;
    this.#parts.sender.say(windowUpdate(0, this.#unreturned));
    this.#receiveWindow += this.#unreturned;
    this.#unreturned = 0;
  }

  /** Of a stream. @throws ConnectionError where that is too often too far. */
  openWindow(stream: Http2Stream, bytes: number): void {
    stream.sendWindow += bytes;
    if (bytes === 0) this.resetForFault(stream, CODE.protocolError);
    else if (stream.sendWindow > WINDOW_BYTES_MAX) {
      this.resetForFault(stream, CODE.flowControlError);
    } else if (stream.canSend) this.#parts.sender.list(stream);
  }

  /** Of all streams, and those that are to come. @throws ConnectionError */
  setSendWindow(bytes: number): void {
    const more = bytes - this.#sendWindow;
    this.#sendWindow = bytes;
    this.#open.forEach((stream) => {
      stream.sendWindow += more;
      if (stream.sendWindow > WINDOW_BYTES_MAX) {
        throw new ConnectionError(CODE.flowControlError, 'a window is too large');
      }
      if (stream.canSend) this.#parts.sender.list(stream);
    });
  }
}
