/**
 * The streams of a client's connection: which are open, what they may still send, and how much of what the server
 * does its client puts up with. A server is trusted with the requests that it is sent and with nothing else: what it
 * sends unread is bounded by the window of each stream, and what brings the client nothing by its patience.
 *
 * The surprise: the window of the connection is given back as bytes come, not as they are read. So a reader that is
 * slow holds up its own stream and no other.
 *
 * In the RFCs: RFC 9113, sections 5.1, 5.2 and 10.5.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { NumberedUnderWay } from '../../../actors/request/under-way.ts';
import {
  CODE,
  ConnectionError,
  resetFrame,
  WINDOW_BYTES,
  WINDOW_BYTES_MAX,
  windowUpdate,
  type ErrorCode,
} from '../frames.ts';
import { Patience } from '../patience.ts';
import { ClientStream, type AnswerTaker, type RequestStart } from './client-stream.ts';
import type { RequestSender } from './request-sender.ts';
import { resetForFault, type StreamError } from './stream-error.ts';

/** Of the connection. */
export const CONNECTION_WINDOW_BYTES = 4 * 1_024 * 1_024;
/** Frames that bring the client nothing. */
const IDLE_FRAMES = { burst: 10_000, perSecond: 1_000 };
/** A request, and each frame of data, may be followed by some of them. */
const FRAMES_PER_REQUEST = 4;
const FRAMES_PER_DATA = 2;
const DATA_BYTES_PER_FRAME = 512;
/** So long the head of an answer waits for a body that is short, and at most twice as long. */
const SHORT_MS = 5;

export interface ClientStreamsParts {
  readonly sender: RequestSender;
  readonly clock: Clock;
  /** Of each stream. */
  readonly windowBytes: number;
}

export class ClientStreams {
  /** The number of the last request. */
  last = -1;
  /** When one closed last, or the connection began: milliseconds since 1970. */
  usedAt: number;
  readonly #parts: ClientStreamsParts;
  readonly #open = new NumberedUnderWay<ClientStream>();
  /** Those to be told behind what is being read that their heads are there. */
  #headed: ClientStream[] = [];
  /** Those whose heads have come since the last look, and whose bodies are short and awaited. */
  #awaited: ClientStream[] = [];
  /** Those whose heads had come before it. */
  #late: readonly ClientStream[] = [];
  #isLookDue = false;
  readonly #idleFrames: Patience;
  /** How many bytes each new stream may send. */
  #sendWindow = WINDOW_BYTES;
  #receiveWindow = CONNECTION_WINDOW_BYTES;
  /** Received, and not given back to the server's window yet. */
  #unreturned = 0;
  #isOver = false;

  constructor(parts: ClientStreamsParts) {
    this.#parts = parts;
    this.usedAt = parts.clock.now();
    this.#idleFrames = new Patience(IDLE_FRAMES, () => parts.clock.now());
  }

  get size(): number {
    return this.#open.size;
  }

  get(id: number): ClientStream | undefined {
    return this.#open.get(id);
  }

  open(start: RequestStart, taker: AnswerTaker): ClientStream {
    this.last += 2;
    this.#idleFrames.earn(FRAMES_PER_REQUEST);
    const windows = { sendWindow: this.#sendWindow, receiveWindow: this.#parts.windowBytes };
    const stream = new ClientStream({ host: this, taker, start }, this.last, windows);
    this.#open.set(stream.id, stream);
    this.#parts.sender.list(stream);
    return stream;
  }

  // What streams ask of their connection.

  wantsToSend(stream: ClientStream): void {
    this.#parts.sender.list(stream);
  }

  hasRead(stream: ClientStream, bytes: number): void {
    if (this.#isOver || stream.closed || stream.isReceived) return;
    stream.unreturned += bytes;
    if (2 * stream.unreturned < this.#parts.windowBytes) return;
    this.#parts.sender.say(windowUpdate(stream.id, stream.unreturned));
    stream.receiveWindow += stream.unreturned;
    stream.unreturned = 0;
  }

  reset(stream: ClientStream, code: ErrorCode, error: StreamError): void {
    if (stream.closed) return;
    // The server has not heard of a stream whose head was not sent.
    if (!stream.hasHead) this.#parts.sender.say(resetFrame(stream.id, code));
    this.close(stream, error);
  }

  // Heads of answers. Servers send them apart from what follows, and what is passed on in one piece costs less than in two.

  /** The head of an answer has come, with its end where that is there too. */
  headed(stream: ClientStream): void {
    if (stream.isReceived || !stream.isShort) this.#headed.push(stream);
    else {
      this.#awaited.push(stream);
      this.#lookLater();
    }
  }

  /** Each look tells those that have waited since the one before it. */
  #lookLater(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    this.#parts.clock.after(SHORT_MS, () => {
      this.#isLookDue = false;
      const late = this.#late;
      this.#late = this.#awaited.filter((one) => !one.isReceived && !one.closed);
      this.#awaited = [];
      for (const one of late) one.tellHead();
      if (this.#late.length > 0) this.#lookLater();
    });
  }

  /** All of an answer is there. */
  ended(stream: ClientStream): void {
    this.#headed.push(stream);
    if (stream.isSent) this.close(stream);
    else stream.tellMore();
  }

  /** What came has been read. */
  tellHeads(): void {
    const headed = this.#headed;
    if (headed.length === 0) return;
    this.#headed = [];
    for (const stream of headed) stream.tellHead();
  }

  // Their end.

  /** @param error undefined: its answer has come. */
  close(stream: ClientStream, error?: StreamError): void {
    if (stream.closed) return;
    this.#open.delete(stream.id);
    this.usedAt = this.#parts.clock.now();
    stream.close(error);
    this.#parts.sender.flushLater();
  }

  /** Closes those that the server does not answer any more. @param from the first of them. */
  closeFrom(from: number, errorOf: (stream: ClientStream) => StreamError): void {
    this.#open.forEach((stream) => {
      if (stream.id >= from) this.close(stream, errorOf(stream));
    });
  }

  /** The connection is over, and all of them with it. */
  closeAll(errorOf: (stream: ClientStream) => StreamError): void {
    this.#isOver = true;
    this.closeFrom(0, errorOf);
  }

  /** The server has broken the rules for a stream. */
  resetForFault(stream: ClientStream, code: ErrorCode): void {
    this.reset(stream, code, resetForFault(stream.id, code));
  }

  // What the server is let do.

  /** Frames that cost the client something and bring it nothing. @throws ConnectionError */
  spend(frames: number): void {
    if (this.#idleFrames.spend(frames)) return;
    throw new ConnectionError(CODE.enhanceYourCalm, 'too many frames that bring nothing');
  }

  /** Data was sent, which the server answers with frames that bring the client nothing else. */
  sentData(bytes: number): void {
    this.#idleFrames.earn(FRAMES_PER_DATA + bytes / DATA_BYTES_PER_FRAME);
  }

  // Windows.

  /** @throws ConnectionError where the server was not allowed to send as much. */
  received(bytes: number): void {
    this.#receiveWindow -= bytes;
    if (this.#receiveWindow < 0) {
      throw new ConnectionError(CODE.flowControlError, 'more was sent than the connection takes');
    }
    this.#unreturned += bytes;
    if (2 * this.#unreturned < CONNECTION_WINDOW_BYTES) return;
    this.#parts.sender.say(windowUpdate(0, this.#unreturned));
    this.#receiveWindow += this.#unreturned;
    this.#unreturned = 0;
  }

  /** Of a stream. */
  openWindow(stream: ClientStream, bytes: number): void {
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
