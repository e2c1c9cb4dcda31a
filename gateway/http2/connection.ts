/**
 * The server's side of a connection of HTTP/2, from its greeting to its end. What the client sends is
 * read in incoming.ts, what it is sent is written in sender.ts, and streams.ts has what is between them.
 * Why it is our own and not node's: docs/decisions/0075-http2-of-our-own.md.
 *
 * In the RFCs: RFC 9113, sections 3.4, 5.4.1 and 6.8.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../api/meta/clock.ts';
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
} from './frames.ts';
import type { HeadLimits } from './hpack-decoder.ts';
import { readBytes, recordMemory } from '../inbound/reused-reads.ts';
import { Incoming } from './incoming.ts';
import type { RequestHead } from './request-fields.ts';
import { AnswerSender } from './answer-sender.ts';
import type { Http2Stream } from './stream.ts';
import { CONNECTION_WINDOW_BYTES, STREAM_WINDOW_BYTES, Streams } from './streams.ts';

export interface ConnectionParts {
  /** Its handshake is done. */
  readonly socket: Duplex;
  readonly clock: Clock;
  readonly limits: HeadLimits;
  /** Requests at a time. */
  readonly streamsMax: number;
  /** Takes a request; undefined: its head is larger than the limits. */
  readonly request: (stream: Http2Stream, head: RequestHead | undefined) => void;
}

/** How long a client has to answer a ping before it is told for good, and to close its side. */
const LEAVE_MS = 1_000;
const LEAVING = Buffer.from('leaving!');
/** Of all connections: what is to be kept of it is copied before the next one reads. */
const READ_INTO = recordMemory();

type State = 'open' | 'leaving' | 'left' | 'over';

/** One connection; it lives as long as its socket. */
export class Http2Connection {
  readonly #parts: ConnectionParts;
  readonly #sender: AnswerSender;
  readonly #streams: Streams;
  readonly #incoming: Incoming;
  #state: State = 'open';
  #cancelLeaving = nothing;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { socket, clock, limits, streamsMax, request } = parts;
    const now = (): number => clock.now();
    this.#sender = new AnswerSender({
      socket,
      now,
      sent: (stream) => {
        this.#streams.close(stream, !stream.isReceived);
      },
      sentData: (bytes) => {
        this.#streams.sentData(bytes);
      },
      turnOver: () => {
        this.#turnOver();
      },
    });
    const sender = this.#sender;
    this.#streams = new Streams({
      sender,
      now,
      goAway: () => {
        this.#leave();
      },
    });
    this.#incoming = new Incoming({
      answered: (opaque) => {
        if (LEAVING.equals(opaque)) this.#leave();
      },
      ...{ limits, streamsMax, sender, streams: this.#streams, now, request },
    });
    this.#listen(socket);
    this.#greet();
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** When a request ended last, or the connection began: milliseconds since 1970. */
  get usedAt(): number {
    return this.#streams.usedAt;
  }

  /** When a head began that is not whole; undefined: there is none. */
  get headSince(): number | undefined {
    return this.#incoming.headSince;
  }

  /**
   * Takes no new requests and ends when those that are open are answered. The client is told at once,
   * and for good when it has had the time to hear of it: until then its requests are still taken.
   */
  close(): void {
    if (this.#state !== 'open') return;
    this.#state = 'leaving';
    this.#sender.say(goAwayFrame(STREAM_MAX, CODE.noError));
    this.#sender.say(pingFrame(LEAVING, false));
    this.#cancelLeaving = this.#parts.clock.after(LEAVE_MS, () => {
      this.#leave();
    });
  }

  /** Ends at once, for something that the client did or did not do. */
  fail(code: ErrorCode, reason: string): void {
    if (this.#state === 'over') return;
    this.#sender.say(goAwayFrame(this.#streams.last, code, reason));
    this.#sender.flush();
    this.#hangUp();
  }

  #listen(socket: Duplex): void {
    const read = (chunk: Buffer): void => {
      this.#read(chunk);
    };
    readBytes(socket, read, READ_INTO);
    socket.resume();
    // Its close tells of it.
    socket.on('error', nothing);
    socket.on('end', () => {
      this.#end();
    });
    socket.on('close', () => {
      this.#end();
      this.#cancelLeaving();
    });
  }

  #greet(): void {
    const { limits, streamsMax } = this.#parts;
    this.#sender.say(
      settingsFrame([
        [SETTING.maxConcurrentStreams, streamsMax],
        [SETTING.initialWindowSize, STREAM_WINDOW_BYTES],
        // A client keeps to it and would never hear that its head is too large.
        [SETTING.maxHeaderListSize, 2 * limits.listBytes],
      ]),
    );
    this.#sender.say(windowUpdate(0, CONNECTION_WINDOW_BYTES - WINDOW_BYTES));
  }

  #read(chunk: Buffer): void {
    try {
      this.#incoming.read(chunk);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.fail(error.code, error.message);
    }
  }

  /** From now on no request is taken, and the client knows from which. */
  #leave(): void {
    if (this.#state !== 'open' && this.#state !== 'leaving') return;
    this.#cancelLeaving();
    this.#state = 'left';
    this.#incoming.isClosed = true;
    this.#sender.say(goAwayFrame(this.#streams.last, CODE.noError));
  }

  /** Tells those whose streams closed, in a turn of their own, and goes when nothing is left to do. */
  #turnOver(): void {
    this.#streams.tellClosed();
    if (this.#state === 'over') return;
    if (this.#sender.isFlooded) {
      this.#end();
      this.#parts.socket.destroy();
    } else if (this.#state === 'left' && this.#streams.size === 0 && this.#sender.isDone) {
      this.#hangUp();
    }
  }

  /** Says nothing more. The client has a moment to close its side: else it may lose what was said last. */
  #hangUp(): void {
    const { socket, clock } = this.#parts;
    this.#end();
    socket.end();
    socket.resume();
    this.#cancelLeaving();
    this.#cancelLeaving = clock.after(LEAVE_MS, () => {
      socket.destroy();
    });
  }

  #end(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#incoming.end();
    this.#streams.closeAll();
  }
}

function nothing(): void {
  // There is nothing to do, or no timer yet.
}
