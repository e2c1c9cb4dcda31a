/**
 * What a server sends on a connection of ours, frame by frame: answers and their bodies go to their streams, and all
 * else is heeded or ends the connection.
 *
 * In the RFCs: RFC 9113, sections 5.1, 6 and 8.1. In Go: golang.org/x/net/http2, transport.go.
 */
import { FrameReader } from '../frame-reader.ts';
import { checkDependency, checkFrame, contentOf, settingsOf, type Frame } from '../frame-rules.ts';
import {
  CODE,
  ConnectionError,
  FLAG,
  FRAME,
  pingFrame,
  settingsAck,
  WINDOW_BYTES_MAX,
} from '../frames.ts';
import { HeadReader } from '../head-reader.ts';
import { HeldBlocks } from '../header-block.ts';
import type { DecodedHead, HeadLimits } from '../hpack-decoder.ts';
import { areTrailers } from '../request-fields.ts';
import { answerFields } from './answer-fields.ts';
import type { ClientStream } from './client-stream.ts';
import type { ClientStreams } from './client-streams.ts';
import type { RequestSender } from './request-sender.ts';
import { resetByServer } from './stream-error.ts';

export interface ClientIncomingParts {
  readonly limits: HeadLimits;
  readonly sender: RequestSender;
  readonly streams: ClientStreams;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The server has said how many requests it takes at a time. @param streamsMax undefined: as before. */
  readonly set: (streamsMax: number | undefined) => void;
  /** A ping was answered. */
  readonly answered: () => void;
  /** The server takes no more requests, and those behind `last` are not answered. */
  readonly goAway: (last: number, code: number) => void;
}

const OF_SERVERS = new HeldBlocks();
const NO_PREFACE = Buffer.alloc(0);
/** So many streams are looked at in the time that a frame takes. */
const STREAMS_PER_FRAME = 16;

export class ClientIncoming {
  isOver = false;
  #isGreeted = false;
  readonly #parts: ClientIncomingParts;
  readonly #reader: FrameReader;
  readonly #heads: HeadReader;

  constructor(parts: ClientIncomingParts) {
    this.#parts = parts;
    this.#heads = new HeadReader({
      ...{ limits: parts.limits, held: OF_SERVERS, now: parts.now },
      take: (stream, isEnd, head) => {
        this.#head(stream, isEnd, head);
      },
    });
    this.#reader = new FrameReader((frame) => {
      if (!this.isOver) this.#take(frame);
    }, NO_PREFACE);
  }

  /** @throws ConnectionError */
  read(chunk: Buffer): void {
    if (!this.isOver) this.#reader.read(chunk);
  }

  end(): void {
    this.isOver = true;
    this.#heads.end();
  }

  #take(frame: Frame): void {
    const { streams } = this.#parts;
    if (!this.#isGreeted && (frame.type !== FRAME.settings || frame.flags & FLAG.ack)) {
      throw new ConnectionError(CODE.protocolError, 'the server does not speak HTTP/2');
    }
    this.#heads.check(frame);
    checkFrame(frame);
    switch (frame.type) {
      case FRAME.data:
        this.#data(frame);
        return;
      case FRAME.headers:
        this.#heads.headers(frame);
        return;
      case FRAME.continuation:
        this.#heads.continuation(frame);
        return;
      case FRAME.rstStream:
        this.#reset(frame);
        return;
      case FRAME.settings:
        this.#isGreeted = true;
        streams.spend(1 + streams.size / STREAMS_PER_FRAME);
        if ((frame.flags & FLAG.ack) === 0) this.#settings(frame);
        return;
      case FRAME.windowUpdate:
        this.#windowUpdate(frame);
        break;
      case FRAME.ping:
        this.#ping(frame);
        break;
      case FRAME.goAway:
        this.#goAway(frame);
        break;
      case FRAME.priority:
        checkDependency(frame.stream, frame.bytes, frame.from);
    }
    // With priorities, and frames of types that are to come.
    streams.spend(1);
  }

  #head(id: number, isEnd: boolean, { fields, isMalformed, isTooLarge }: DecodedHead): void {
    const { streams } = this.#parts;
    const stream = this.#heard(id);
    if (stream === undefined) return;
    if (stream.isReceived) {
      streams.resetForFault(stream, CODE.streamClosed);
      return;
    }
    let isRight = false;
    if (!isMalformed && !isTooLarge) {
      isRight =
        stream.code === 0
          ? this.#answer(stream, isEnd, fields)
          : isEnd && areTrailers(fields) && stream.receiveEnd(fields);
    }
    if (!isRight) streams.resetForFault(stream, CODE.protocolError);
    else if (isEnd) streams.ended(stream);
  }

  #answer(stream: ClientStream, isEnd: boolean, fields: readonly string[]): boolean {
    const head = answerFields(fields);
    if (head === undefined || !stream.receiveHead(head, isEnd)) return false;
    // Or it was one that tells of the answer only.
    if (stream.code !== 0) this.#parts.streams.headed(stream);
    else this.#parts.streams.spend(1);
    return true;
  }

  #data(frame: Frame): void {
    const { streams } = this.#parts;
    const { flags, stream: id, from, to } = frame;
    streams.received(to - from);
    const { start, end } = contentOf(frame);
    const isEnd = (flags & FLAG.endStream) !== 0;
    if (!isEnd && start === end) streams.spend(1);
    const stream = this.#heard(id);
    if (stream === undefined) return;
    stream.receiveWindow -= to - from;
    if (stream.isReceived) streams.resetForFault(stream, CODE.streamClosed);
    else if (stream.receiveWindow < 0) streams.resetForFault(stream, CODE.flowControlError);
    else if (!this.#takeData(frame, stream, start, end)) {
      streams.resetForFault(stream, CODE.protocolError);
    } else if (isEnd) streams.ended(stream);
    else stream.tellMore();
  }

  /** @returns whether it may come there. */
  #takeData(frame: Frame, stream: ClientStream, start: number, end: number): boolean {
    if (stream.code === 0 || !stream.receive(frame.bytes.subarray(start, end))) return false;
    if ((frame.flags & FLAG.endStream) !== 0) return stream.receiveEnd();
    // Padding is read as it comes.
    const padding = frame.to - frame.from - (end - start);
    if (padding > 0) this.#parts.streams.hasRead(stream, padding);
    return true;
  }

  /** undefined: it is over here already, and the frame was on its way. @throws ConnectionError */
  #heard(id: number): ClientStream | undefined {
    const { streams } = this.#parts;
    const stream = streams.get(id);
    if (stream !== undefined && !stream.hasHead) return stream;
    this.#checkNotIdle(id);
    streams.spend(1);
    return undefined;
  }

  #reset({ stream: id, bytes, from }: Frame): void {
    const stream = this.#heard(id);
    if (stream === undefined) return;
    this.#parts.streams.close(stream, resetByServer(id, bytes.readUInt32BE(from)));
  }

  #windowUpdate({ stream: id, bytes, from }: Frame): void {
    const { sender, streams } = this.#parts;
    const more = bytes.readUInt32BE(from) & WINDOW_BYTES_MAX;
    if (id === 0) {
      if (more === 0) throw new ConnectionError(CODE.protocolError, 'a window opens by nothing');
      sender.openWindow(more);
      return;
    }
    const stream = streams.get(id);
    if (stream === undefined) this.#checkNotIdle(id);
    else streams.openWindow(stream, more);
  }

  #settings(frame: Frame): void {
    const { sender, streams, set } = this.#parts;
    const { headerTableBytes, initialWindowBytes, streamsMax } = settingsOf(frame, 0);
    for (const bytes of headerTableBytes) sender.resizeTable(bytes);
    sender.say(settingsAck());
    if (initialWindowBytes !== undefined) streams.setSendWindow(initialWindowBytes);
    set(streamsMax);
  }

  #ping({ flags, bytes, from, to }: Frame): void {
    if (flags & FLAG.ack) this.#parts.answered();
    else this.#parts.sender.say(pingFrame(bytes.subarray(from, to), true));
  }

  #goAway({ bytes, from }: Frame): void {
    this.#parts.goAway(bytes.readUInt32BE(from) & WINDOW_BYTES_MAX, bytes.readUInt32BE(from + 4));
  }

  /** @throws ConnectionError where no request has this number, or it is none of a request. */
  #checkNotIdle(id: number): void {
    const stream = this.#parts.streams.get(id);
    const isIdle = id > this.#parts.streams.last || stream?.hasHead === true;
    if (id % 2 === 1 && !isIdle) return;
    throw new ConnectionError(CODE.protocolError, 'a frame is on a stream that was never opened');
  }
}
