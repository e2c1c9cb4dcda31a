/**
 * The client's side of a connection of HTTP/2, from its greeting to its end. What the server sends is read in
 * client-incoming.ts, what it is sent is written in request-sender.ts, and client-streams.ts has what is between them.
 * A server whose end is gone without a word is found by a ping; one that has had no request for a while is left.
 *
 * In the RFCs: RFC 9113, sections 3.4, 5.4.1 and 6.8.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../api/meta/clock.ts';
import { PREFACE } from '../frame-reader.ts';
import {
  CODE,
  ConnectionError,
  goAwayFrame,
  pingFrame,
  SETTING,
  settingsFrame,
  STREAM_MAX,
  WINDOW_BYTES,
  windowUpdate,
  type ErrorCode,
} from '../frames.ts';
import type { HeadLimits } from '../hpack-decoder.ts';
import { ClientIncoming } from './client-incoming.ts';
import type { AnswerTaker, ClientStream, RequestStart } from './client-stream.ts';
import { ClientStreams, CONNECTION_WINDOW_BYTES } from './client-streams.ts';
import { RequestSender } from './request-sender.ts';
import { codeName, StreamError } from './stream-error.ts';

export interface ClientConnectionParts {
  /** Its handshake is done. */
  readonly socket: Duplex;
  readonly clock: Clock;
  /** What a stream may receive before it is read. */
  readonly windowBytes: number;
  /** The server has said how much it takes: requests may be made. Called once, unless it is over before. */
  readonly ready: () => void;
  /** It takes no more requests; those under way may be answered. Called once. */
  readonly gone: (error: Error) => void;
}

/** Of heads of answers. */
const LIMITS: HeadLimits = { fields: 4_000, fieldBytes: 512 * 1_024, listBytes: 1_024 * 1_024 };
/** Requests at a time, of a server that does not say; it may still refuse some. */
const STREAMS_MAX = 100;
const SETTINGS_MS = 30_000;
const PING_EVERY_MS = 30_000;
const PING_MS = 15_000;
const IDLE_MS = 90_000;
/** For what was said last to leave. */
const LEAVE_MS = 1_000;
const ARE_YOU_THERE = Buffer.from('there???');

/** One connection; it lives as long as its socket. */
export class ClientConnection {
  readonly #parts: ClientConnectionParts;
  readonly #sender: RequestSender;
  readonly #streams: ClientStreams;
  readonly #incoming: ClientIncoming;
  #state: 'greeting' | 'open' | 'leaving' | 'over' = 'greeting';
  #streamsMax = STREAMS_MAX;
  /** Requests that are about to be made. */
  #reserved = 0;
  #cancelTimer: () => void;

  constructor(parts: ClientConnectionParts) {
    this.#parts = parts;
    const { socket, clock, windowBytes } = parts;
    const now = (): number => clock.now();
    this.#sender = new RequestSender({
      socket,
      sent: (stream) => {
        if (stream.isReceived) this.#streams.close(stream);
      },
      sentData: (bytes) => {
        this.#streams.sentData(bytes);
      },
      turnOver: () => {
        this.#turnOver();
      },
    });
    const sender = this.#sender;
    this.#streams = new ClientStreams({ sender, clock, windowBytes });
    this.#incoming = new ClientIncoming({
      set: (streamsMax) => {
        this.#set(streamsMax);
      },
      answered: () => {
        this.#askLater();
      },
      goAway: (last, code) => {
        this.#goAway(last, code);
      },
      ...{ limits: LIMITS, sender, streams: this.#streams, now },
    });
    this.#cancelTimer = clock.after(SETTINGS_MS, () => {
      this.#fail(
        CODE.protocolError,
        new Error('http2: timeout awaiting the settings of the server'),
      );
    });
    this.#listen(socket);
    this.#greet();
  }

  /** Requests under way, and those that are about to be. */
  get size(): number {
    return this.#streams.size + this.#reserved;
  }

  /** How many of them the server takes. */
  get streamsMax(): number {
    return this.#streamsMax;
  }

  /** Keeps a place for a request, until it is made or {@link release}d. */
  reserve(): void {
    this.#reserved += 1;
  }

  /** The request is not made. */
  release(): void {
    this.#reserved -= 1;
  }

  /** The request that a place was reserved for. @throws StreamError where the connection has ended meanwhile. */
  request(start: RequestStart, taker: AnswerTaker): ClientStream {
    this.#reserved -= 1;
    if (this.#state !== 'open')
      throw new StreamError('http2: client connection not usable', 'unseen');
    const stream = this.#streams.open(start, taker);
    if (this.#streams.last > STREAM_MAX - 2) this.close();
    return stream;
  }

  /** Takes no more requests, and ends when those under way are answered. */
  close(): void {
    this.#leave(new Error('http2: client connection is closed'));
  }

  /** Ends at once. */
  destroy(error = new Error('http2: client connection is closed')): void {
    this.#end(error);
    this.#parts.socket.destroy();
  }

  #listen(socket: Duplex): void {
    const lost = (): void => {
      this.destroy(new Error('EOF'));
    };
    socket.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
    // Its close tells of it.
    socket.on('error', () => undefined);
    socket.on('end', lost);
    socket.on('close', lost);
  }

  #greet(): void {
    const { windowBytes } = this.#parts;
    this.#sender.say(PREFACE);
    this.#sender.say(
      settingsFrame([
        [SETTING.enablePush, 0],
        [SETTING.initialWindowSize, windowBytes],
        [SETTING.maxHeaderListSize, LIMITS.listBytes],
      ]),
    );
    this.#sender.say(windowUpdate(0, CONNECTION_WINDOW_BYTES - WINDOW_BYTES));
  }

  #read(chunk: Buffer): void {
    try {
      this.#incoming.read(chunk);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const why = `connection error: ${codeName(error.code)}: ${error.message}`;
      this.#fail(error.code, new Error(why));
    }
    this.#streams.tellHeads();
  }

  #set(streamsMax: number | undefined): void {
    // A server that takes none at all refuses the one that it is sent.
    if (streamsMax !== undefined) this.#streamsMax = Math.max(streamsMax, 1);
    if (this.#state !== 'greeting') return;
    this.#state = 'open';
    this.#askLater();
    this.#parts.ready();
  }

  /** Sees later whether the server is there, where there are requests, and leaves it where there were none for long. */
  #askLater(): void {
    const { clock } = this.#parts;
    this.#cancelTimer();
    if (this.#state === 'over') return;
    this.#cancelTimer = clock.after(PING_EVERY_MS, () => {
      const isIdle = this.size === 0 && clock.now() - this.#streams.usedAt >= IDLE_MS;
      if (isIdle) this.close();
      else this.#ask();
    });
  }

  #ask(): void {
    this.#sender.say(pingFrame(ARE_YOU_THERE, false));
    this.#cancelTimer = this.#parts.clock.after(PING_MS, () => {
      this.destroy(new Error('http2: client connection lost'));
    });
  }

  /** What the server did not begin with may be asked elsewhere; where it has seen an error it ends all of it. */
  #goAway(last: number, code: number): void {
    const why = `http2: server sent GOAWAY: ${codeName(code)}`;
    this.#streams.closeFrom(last + 1, () => new StreamError(why, 'unseen'));
    if (code === CODE.noError) this.#leave(new Error(why));
    else this.destroy(new Error(why));
  }

  #leave(why: Error): void {
    const wasGreeting = this.#state === 'greeting';
    if (!wasGreeting && this.#state !== 'open') return;
    this.#state = 'leaving';
    this.#parts.gone(why);
    this.#sender.flushLater();
  }

  #turnOver(): void {
    if (this.#state === 'over') return;
    if (this.#sender.isFlooded) this.destroy(new Error('http2: the server reads nothing'));
    else if (this.#state === 'leaving' && this.#streams.size === 0 && this.#sender.isDone) {
      this.#fail(CODE.noError, new Error('http2: client connection is closed'));
    }
  }

  /** Tells the server why, as far as it reads. */
  #fail(code: ErrorCode, error: Error): void {
    if (this.#state === 'over') return;
    const { socket, clock } = this.#parts;
    this.#end(error);
    this.#sender.say(goAwayFrame(0, code));
    this.#sender.flush();
    const cancel = clock.after(LEAVE_MS, () => {
      socket.destroy();
    });
    socket.once('close', cancel);
    socket.end(() => {
      socket.destroy();
    });
  }

  #end(error: Error): void {
    if (this.#state === 'over') return;
    const isNews = this.#state !== 'leaving';
    this.#state = 'over';
    this.#cancelTimer();
    this.#incoming.end();
    if (isNews) this.#parts.gone(error);
    this.#streams.closeAll((stream) => this.#lost(stream, error));
  }

  #lost(stream: ClientStream, { message }: Error): StreamError {
    if (stream.hasHead) return new StreamError(message, 'unseen');
    return new StreamError(stream.code === 0 ? message : 'unexpected EOF', 'unknown');
  }
}
