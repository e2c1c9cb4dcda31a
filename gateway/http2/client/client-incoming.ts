/**
 * What a server sends on a connection of ours, frame by frame: answers and their bodies go to their streams, and all
 * else is heeded or ends the connection.
 *
 * In the RFCs: RFC 9113, sections 5.1, 6 and 8.1. In Go: golang.org/x/net/http2, transport.go.
 */
import { contentOf, settingsOf, type Frame } from '../frame-rules.ts';
import { CODE, ConnectionError, FLAG, FRAME, WINDOW_BYTES_MAX } from '../frames.ts';
import { HeldBlocks } from '../header-block.ts';
import type { DecodedHead } from '../hpack-decoder.ts';
import { IncomingFrames, type IncomingFramesParts } from '../incoming-frames.ts';
import { areTrailers } from '../request-fields.ts';
import { answerFields } from './answer-fields.ts';
import type { ClientStream } from './client-stream.ts';
import type { ClientStreams } from './client-streams.ts';
import { resetByServer } from './stream-error.ts';

export interface ClientIncomingParts extends IncomingFramesParts<ClientStream> {
  readonly streams: ClientStreams;
  /** The server has said how many requests it takes at a time. @param streamsMax undefined: as before. */
  readonly set: (streamsMax: number | undefined) => void;
  /** The server takes no more requests, and those behind `last` are not answered. */
  readonly goAway: (last: number, code: number) => void;
}

const OF_SERVERS = new HeldBlocks();
const NO_PREFACE = Buffer.alloc(0);
export class ClientIncoming extends IncomingFrames<ClientStream> {
  #isGreeted = false;
  readonly #parts: ClientIncomingParts;

  constructor(parts: ClientIncomingParts) {
    super(parts, { held: OF_SERVERS, preface: NO_PREFACE });
    this.#parts = parts;
  }

  protected override take(frame: Frame): void {
    if (!this.#isGreeted && (frame.type !== FRAME.settings || frame.flags & FLAG.ack)) {
      throw new ConnectionError(CODE.protocolError, 'the server does not speak HTTP/2');
    }
    super.take(frame);
  }

  protected override head(id: number, isEnd: boolean, decoded: DecodedHead): void {
    const { fields, isMalformed, isTooLarge } = decoded;
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

  protected override data(frame: Frame): void {
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
    this.checkNotIdle(id);
    streams.spend(1);
    return undefined;
  }

  protected override reset({ stream: id, bytes, from }: Frame): void {
    const stream = this.#heard(id);
    if (stream === undefined) return;
    this.#parts.streams.close(stream, resetByServer(id, bytes.readUInt32BE(from)));
  }

  protected override settings(frame: Frame): void {
    this.#isGreeted = true;
    const settings = settingsOf(frame, 0);
    this.heed(settings);
    this.#parts.set(settings.streamsMax);
  }

  protected override goAway({ bytes, from }: Frame): void {
    this.#parts.goAway(bytes.readUInt32BE(from) & WINDOW_BYTES_MAX, bytes.readUInt32BE(from + 4));
  }

  /** @throws ConnectionError where no request has this number, or it is none of a request. */
  protected override checkNotIdle(id: number): void {
    const stream = this.#parts.streams.get(id);
    const isIdle = id > this.#parts.streams.last || stream?.hasHead === true;
    if (id % 2 === 1 && !isIdle) return;
    throw new ConnectionError(CODE.protocolError, 'a frame is on a stream that was never opened');
  }
}
