/**
 * What a connection sends: frames of the connection itself first, then those of its streams by turns,
 * one frame of each. Everything that is said in a turn of the event loop leaves in one write.
 *
 * The surprise: also the heads of answers wait until the socket has room, so that a client that does not
 * read what it asked for is answered nothing more, whatever it asks.
 *
 * In the RFCs: RFC 9113, section 5.2.
 */
import type { Duplex } from 'node:stream';
import { CODE, ConnectionError, resetFrame, WINDOW_BYTES, WINDOW_BYTES_MAX } from './frames.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { Output } from './output.ts';
import type { Http2Stream } from './stream.ts';

export interface SenderParts {
  readonly socket: Duplex;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The last frame of a stream is on its way. */
  readonly sent: (stream: Http2Stream) => void;
  /** A frame of data is, which the client may answer. */
  readonly sentData: (bytes: number) => void;
  /** The turn is over: what is to be told of it can be. */
  readonly turnOver: () => void;
}

/** What the socket may hold that the client does not take. */
const SOCKET_BYTES = 64 * 1_024;
/** The same of frames that answer those of the client, as acknowledgements. */
const CONTROL_BYTES_MAX = 64 * 1_024;
const MS_PER_SECOND = 1_000;

export class Sender {
  /** How many bytes the client takes on the whole connection. */
  #window = WINDOW_BYTES;
  readonly #parts: SenderParts;
  readonly #encoder = new HpackEncoder();
  readonly #output = new Output();
  #control: Buffer[] = [];
  #controlBytes = 0;
  /** Streams that have something to send. */
  #listed: Http2Stream[] = [];
  /** Streams whose writers wait for room, and now there is some. */
  #drained: Http2Stream[] = [];
  #isFlushDue = false;
  /** The socket has not taken what it was given. */
  #isFull = false;
  #second = 0;
  #date = '';
  readonly #flush = (): void => {
    this.#isFlushDue = false;
    this.flush();
  };

  constructor(parts: SenderParts) {
    this.#parts = parts;
    parts.socket.on('drain', () => {
      this.#isFull = false;
      this.flush();
    });
  }

  /** Whether everything was handed to the socket. */
  get isDone(): boolean {
    return this.#control.length === 0 && this.#listed.length === 0;
  }

  /** Whether more waits than a client leaves that reads what it is told. */
  get isFlooded(): boolean {
    return this.#controlBytes > CONTROL_BYTES_MAX;
  }

  /** A frame of the connection, or one that has no place among those of its stream. */
  say(frame: Buffer): void {
    this.#control.push(frame);
    this.#controlBytes += frame.length;
    this.flushLater();
  }

  /**
   * The head of an answer that is cut off in the same turn: the client is to hear what it was. Not where
   * the client reads nothing, for it would be held.
   */
  sayHead(stream: Http2Stream): void {
    if (this.#isFull) return;
    const head = stream.takeHead();
    if (head === undefined) return;
    const block = this.#encoder.encode(head.code, head.headers, this.#dateNow());
    this.#output.begin();
    this.#output.headers(stream.id, block, false);
    this.say(this.#output.copy());
  }

  list(stream: Http2Stream): void {
    if (!stream.isListed) {
      stream.isListed = true;
      this.#listed.push(stream);
    }
    this.flushLater();
  }

  flushLater(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(this.#flush);
  }

  /** @throws ConnectionError */
  openWindow(bytes: number): void {
    this.#window += bytes;
    if (this.#window > WINDOW_BYTES_MAX) {
      throw new ConnectionError(CODE.flowControlError, 'the window of the connection is too large');
    }
    if (this.#listed.length > 0) this.flushLater();
  }

  /** @param bytes as large may the table of headers be that the client keeps. */
  resizeTable(bytes: number): void {
    this.#encoder.resize(bytes);
  }

  flush(): void {
    const { socket, turnOver } = this.#parts;
    if (!this.#isFull && socket.writable) this.#send(socket);
    const drained = this.#drained;
    if (drained.length > 0) {
      this.#drained = [];
      for (const stream of drained) stream.tellDrained();
    }
    turnOver();
  }

  #send(socket: Duplex): void {
    const output = this.#output;
    output.begin();
    for (const frame of this.#control) output.bytes(frame);
    if (this.#control.length > 0) this.#control = [];
    this.#controlBytes = 0;
    const max = SOCKET_BYTES - socket.writableLength;
    while (this.#listed.length > 0 && this.#sendRound(max));
    if (output.size === 0) return;
    const isLeft = this.#listed.length > 0 && output.size >= max;
    if (!output.writeTo(socket)) this.#isFull = true;
    else if (isLeft) this.flushLater();
  }

  /** A frame of each that has one. @returns whether there may be more. */
  #sendRound(max: number): boolean {
    const output = this.#output;
    const listed = this.#listed;
    this.#listed = [];
    let isMoving = false;
    for (const stream of listed) {
      if (output.size < max && this.#sendOf(stream)) isMoving = true;
      if (stream.canSend) this.#listed.push(stream);
      else stream.isListed = false;
    }
    return isMoving;
  }

  /** @returns whether there was something. */
  #sendOf(stream: Http2Stream): boolean {
    if (stream.closed) return false;
    const wasHead = this.#sendHead(stream);
    return this.#sendData(stream) || wasHead;
  }

  #sendData(stream: Http2Stream): boolean {
    if (stream.closed) return false;
    const length = stream.sendable(this.#window);
    const isLast = stream.isEnded && length === stream.waitingBytes;
    if (length === 0 && !isLast) return false;
    this.#window -= length;
    this.#output.data(stream.id, length, isLast, stream);
    this.#parts.sentData(length);
    if (isLast) this.#sent(stream);
    else if (stream.waitingBytes === 0) this.#drained.push(stream);
    return true;
  }

  #sendHead(stream: Http2Stream): boolean {
    const output = this.#output;
    const isContinued = stream.takeContinue();
    if (isContinued) output.headers(stream.id, this.#encoder.encode(CONTINUE, {}, ''), false);
    const head = stream.takeHead();
    if (head === undefined) return isContinued;
    const block = this.#encoder.encode(head.code, head.headers, this.#dateNow());
    output.headers(stream.id, block, stream.isSaid);
    if (stream.isSaid) this.#sent(stream);
    return true;
  }

  /** A client that still sends is told that there is no need to, as Go does. */
  #sent(stream: Http2Stream): void {
    if (!stream.isReceived) this.#output.bytes(resetFrame(stream.id, CODE.noError));
    this.#parts.sent(stream);
  }

  #dateNow(): string {
    const second = Math.floor(this.#parts.now() / MS_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(second * MS_PER_SECOND).toUTCString();
    }
    return this.#date;
  }
}

const CONTINUE = 100;
