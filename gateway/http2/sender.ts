/**
 * What a connection sends: frames of the connection itself first, then those of its streams by turns,
 * one frame of each. Everything that is said in a turn of the event loop leaves in one write.
 *
 * The surprise: also headers wait until the socket has room, so that a client that does not read what it asked
 * for is answered nothing more, whatever it asks.
 *
 * In the RFCs: RFC 9113, section 5.2.
 */
import type { Duplex } from 'node:stream';
import { CODE, ConnectionError, WINDOW_BYTES, WINDOW_BYTES_MAX } from './frames.ts';
import { HpackEncoder } from './hpack-encoder.ts';
import { Output } from './output.ts';
import type { SendingStream } from './sending-stream.ts';

export interface SenderParts<Stream extends SendingStream> {
  readonly socket: Duplex;
  /** The last frame of a stream is on its way. */
  readonly sent: (stream: Stream) => void;
  /** A frame of data is, which the peer may answer. */
  readonly sentData: (bytes: number) => void;
  /** The turn is over: what is to be told of it can be. */
  readonly turnOver: () => void;
}

/** What the socket may hold that the peer does not take. */
const SOCKET_BYTES = 64 * 1_024;
/** The same of frames that answer those of the peer, as acknowledgements. */
const CONTROL_BYTES_MAX = 64 * 1_024;

export abstract class Sender<Stream extends SendingStream> {
  protected readonly encoder = new HpackEncoder();
  protected readonly output = new Output();
  /** How many bytes the peer takes on the whole connection. */
  #window = WINDOW_BYTES;
  readonly #parts: SenderParts<Stream>;
  #control: Buffer[] = [];
  #controlBytes = 0;
  /** Streams that have something to send. */
  #listed: Stream[] = [];
  /** Streams whose writers wait for room, and now there is some. */
  #drained: Stream[] = [];
  #isFlushDue = false;
  #isFull = false;
  readonly #flush = (): void => {
    this.#isFlushDue = false;
    this.flush();
  };

  constructor(parts: SenderParts<Stream>) {
    this.#parts = parts;
    parts.socket.on('drain', () => {
      this.#isFull = false;
      this.flush();
    });
  }

  /**
   * Adds to the output what headers the stream has, with its end where there is nothing else to be said.
   *
   * @returns whether there were some.
   */
  protected abstract sendHead(stream: Stream): boolean;

  /** Adds to the output what is said behind the last frame of a stream. */
  protected abstract sayBehind(stream: Stream): void;

  /** Whether the socket has not taken what it was given. */
  protected get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether everything was handed to the socket. */
  get isDone(): boolean {
    return this.#control.length === 0 && this.#listed.length === 0;
  }

  /** Whether more waits than a peer leaves that reads what it is told. */
  get isFlooded(): boolean {
    return this.#controlBytes > CONTROL_BYTES_MAX;
  }

  /** A frame of the connection, or one that has no place among those of its stream. */
  say(frame: Buffer): void {
    this.#control.push(frame);
    this.#controlBytes += frame.length;
    this.flushLater();
  }

  list(stream: Stream): void {
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

  /** @param bytes as large may the table of headers be that the peer keeps. */
  resizeTable(bytes: number): void {
    this.encoder.resize(bytes);
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
    const { output } = this;
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
    const { output } = this;
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
  #sendOf(stream: Stream): boolean {
    if (stream.closed) return false;
    const wasHead = this.sendHead(stream);
    return this.#sendData(stream) || wasHead;
  }

  #sendData(stream: Stream): boolean {
    if (stream.closed || stream.isSent) return false;
    const length = stream.sendable(this.#window);
    const isLast = stream.isEnded && length === stream.waitingBytes;
    if (length === 0 && !isLast) return false;
    this.#window -= length;
    this.output.data(stream.id, length, isLast, stream);
    this.#parts.sentData(length);
    if (isLast) this.sent(stream);
    else if (stream.waitingBytes === 0) this.#drained.push(stream);
    return true;
  }

  /** To be called when the last frame of the stream is in the output. */
  protected sent(stream: Stream): void {
    stream.isSent = true;
    this.sayBehind(stream);
    this.#parts.sent(stream);
  }
}
