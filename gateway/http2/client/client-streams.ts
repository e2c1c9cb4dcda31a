/**
 * The streams of a client's connection, and how much of what the server does its client puts up with. A server is trusted with the requests that it is sent and with nothing else: what it
 * sends unread is bounded by the window of each stream, and what brings the client nothing by its patience.
 *
 * The surprise: the window of the connection is given back as bytes come, not as they are read. So a reader that is
 * slow holds up its own stream and no other.
 *
 * In the RFCs: RFC 9113, sections 5.1, 5.2 and 10.5.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { resetFrame, type ErrorCode } from '../frames.ts';
import { OpenStreams } from '../open-streams.ts';
import { ClientStream, type AnswerTaker, type RequestStart } from './client-stream.ts';
import type { RequestSender } from './request-sender.ts';
import { resetForFault, type StreamError } from './stream-error.ts';

/** Of the connection. */
export const CONNECTION_WINDOW_BYTES = 4 * 1_024 * 1_024;
/** So long the head of an answer waits for a body that is short, and at most twice as long. */
const SHORT_MS = 5;

export interface ClientStreamsParts {
  readonly sender: RequestSender;
  readonly clock: Clock;
  /** Of each stream. */
  readonly windowBytes: number;
}

export class ClientStreams extends OpenStreams<ClientStream> {
  /** The number of the last request. */
  last = -1;
  readonly #parts: ClientStreamsParts;
  /** Those to be told behind what is being read that their heads are there. */
  #headed: ClientStream[] = [];
  /** Those whose heads have come since the last look, and whose bodies are short and awaited. */
  #awaited: ClientStream[] = [];
  /** Those whose heads had come before it. */
  #late: readonly ClientStream[] = [];
  #isLookDue = false;

  constructor(parts: ClientStreamsParts) {
    super({
      sender: parts.sender,
      now: () => parts.clock.now(),
      connectionWindowBytes: CONNECTION_WINDOW_BYTES,
      streamWindowBytes: parts.windowBytes,
    });
    this.#parts = parts;
  }

  open(start: RequestStart, taker: AnswerTaker): ClientStream {
    this.last += 2;
    this.requested();
    const windows = { sendWindow: this.sendWindow, receiveWindow: this.#parts.windowBytes };
    const stream = new ClientStream({ host: this, taker, start }, this.last, windows);
    this.streams.set(stream.id, stream);
    this.#parts.sender.list(stream);
    return stream;
  }

  // What streams ask of their connection.

  wantsToSend(stream: ClientStream): void {
    this.#parts.sender.list(stream);
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
    this.streams.delete(stream.id);
    this.usedAt = this.#parts.clock.now();
    stream.close(error);
    this.#parts.sender.flushLater();
  }

  /** Closes those that the server does not answer any more. @param from the first of them. */
  closeFrom(from: number, errorOf: (stream: ClientStream) => StreamError): void {
    this.streams.forEach((stream) => {
      if (stream.id >= from) this.close(stream, errorOf(stream));
    });
  }

  /** The connection is over, and all of them with it. */
  closeAll(errorOf: (stream: ClientStream) => StreamError): void {
    this.isOver = true;
    this.closeFrom(0, errorOf);
  }

  override resetForFault(stream: ClientStream, code: ErrorCode): void {
    this.reset(stream, code, resetForFault(stream.id, code));
  }

  /** What comes makes room for as much at once. */
  override received(bytes: number): void {
    super.received(bytes);
    this.returned(bytes);
  }
}
