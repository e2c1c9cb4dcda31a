/**
 * What a client sends on a connection, frame by frame: requests and their bodies become streams, and all
 * else is heeded or refused.
 *
 * In the RFCs: RFC 9113, sections 5.1, 6 and 8.1. In Go: golang.org/x/net/http2, server.go.
 */
import { ownCopy } from '../inbound/received-bytes.ts';
import { contentOf, settingsOf, type Frame } from './frame-rules.ts';
import { CODE, ConnectionError, FLAG, type ErrorCode } from './frames.ts';
import { OF_CLIENTS } from './header-block.ts';
import type { DecodedHead } from './hpack-decoder.ts';
import { IncomingFrames, type IncomingFramesParts } from './incoming-frames.ts';
import { areTrailers, requestHead, type RequestHead } from './request-fields.ts';
import type { Http2Stream } from './stream.ts';
import type { Streams } from './streams.ts';

export interface IncomingParts extends IncomingFramesParts<Http2Stream> {
  /** Requests at a time. */
  readonly streamsMax: number;
  readonly streams: Streams;
  /** Takes a request; undefined: its head is larger than the limits. */
  readonly request: (stream: Http2Stream, head: RequestHead | undefined) => void;
}

/** A frame of data with less than this is counted, as one that brings the client little. */
const DATA_BYTES_MIN = 32;
/** What a request costs that is refused, and its client knew that. */
const REFUSAL_FRAMES = 4;

export class Incoming extends IncomingFrames<Http2Stream> {
  /** New requests are not taken any more, and the client knows that. */
  isClosed = false;
  readonly #parts: IncomingParts;

  constructor(parts: IncomingParts) {
    super(parts, { held: OF_CLIENTS });
    this.#parts = parts;
  }

  protected override head(id: number, isEnd: boolean, decoded: DecodedHead): void {
    const { streams, streamsMax } = this.#parts;
    const known = streams.get(id);
    if (known !== undefined) {
      this.#trailers(known, isEnd, decoded);
      return;
    }
    if (id % 2 === 0) throw new ConnectionError(CODE.protocolError, 'a stream has an even number');
    if (id <= streams.last) {
      this.#lateHead(id);
      return;
    }
    if (this.isClosed) return;
    streams.last = id;
    if (streams.size < streamsMax) this.#request(id, isEnd, decoded);
    else this.#refuse(id, CODE.refusedStream);
  }

  #request(id: number, isEnd: boolean, decoded: DecodedHead): void {
    const { streams, request } = this.#parts;
    const { fields, isMalformed, isTooLarge } = decoded;
    const head = isMalformed || isTooLarge ? undefined : requestHead(fields);
    const isRight = head === undefined ? isTooLarge && !isMalformed : !isEnd || isEmpty(head);
    if (isRight) {
      request(streams.open(id, head, isEnd), head);
      return;
    }
    streams.refuse(id, CODE.protocolError);
    streams.atFault();
  }

  #trailers(stream: Http2Stream, isEnd: boolean, decoded: DecodedHead): void {
    const { streams } = this.#parts;
    const { fields, isMalformed, isTooLarge } = decoded;
    const isRight = isEnd && !isMalformed && !isTooLarge && areTrailers(fields);
    if (stream.isReceived) streams.resetForFault(stream, CODE.streamClosed);
    else if (!isRight || !stream.receiveEnd()) streams.resetForFault(stream, CODE.protocolError);
  }

  #lateHead(id: number): void {
    const by = this.#parts.streams.closedBy(id);
    // It was on its way when the server reset the stream.
    if (by === 'server') return;
    const code = by === 'client' ? CODE.streamClosed : CODE.protocolError;
    throw new ConnectionError(code, 'a stream is opened that was passed');
  }

  protected override data(frame: Frame): void {
    const { streams } = this.#parts;
    const { flags, stream: id, bytes, isOwn, from, to } = frame;
    streams.received(to - from);
    const isEnd = (flags & FLAG.endStream) !== 0;
    if (!isEnd && to - from < DATA_BYTES_MIN) streams.spend(1);
    const { start, end } = contentOf(frame);
    const stream = streams.get(id);
    if (stream === undefined || stream.isReceived) {
      streams.returned(to - from);
      this.#lateData(id, stream);
      return;
    }
    stream.receiveWindow -= to - from;
    if (stream.receiveWindow < 0) {
      streams.returned(to - from);
      streams.resetForFault(stream, CODE.flowControlError);
      return;
    }
    // Padding is read as it comes.
    streams.hasRead(stream, to - from - (end - start));
    const content = bytes.subarray(start, end);
    const isFit =
      stream.receive(isOwn ? content : ownCopy(content)) && (!isEnd || stream.receiveEnd());
    if (!isFit) streams.resetForFault(stream, CODE.protocolError);
  }

  #lateData(id: number, stream: Http2Stream | undefined): void {
    const { streams } = this.#parts;
    if (stream !== undefined) {
      streams.resetForFault(stream, CODE.streamClosed);
      return;
    }
    this.checkNotIdle(id);
    if (id > streams.last || streams.closedBy(id) === 'server') return;
    this.#refuse(id, CODE.streamClosed);
  }

  protected override reset({ stream: id }: Frame): void {
    const { streams } = this.#parts;
    const stream = streams.get(id);
    if (stream === undefined) {
      this.checkNotIdle(id);
      streams.spend(1);
      streams.closedByClient(id);
      return;
    }
    streams.close(stream, false);
    streams.atFault();
  }

  protected override settings(frame: Frame): void {
    this.heed(settingsOf(frame));
  }

  protected override goAway(): void {
    // A client opens no streams for the server to refuse.
  }

  /** Its client knew that it would be. */
  #refuse(id: number, code: ErrorCode): void {
    this.#parts.streams.spend(REFUSAL_FRAMES);
    this.#parts.streams.refuse(id, code);
  }

  /** Streams that are not taken any more were opened, for all that their client knew. */
  protected override checkNotIdle(id: number): void {
    if (id % 2 === 1 && (id <= this.#parts.streams.last || this.isClosed)) return;
    throw new ConnectionError(CODE.protocolError, 'a frame is on a stream that was never opened');
  }
}

/** A request without a body cannot say that it has one. */
function isEmpty({ contentLength = 0 }: RequestHead): boolean {
  return contentLength === 0;
}
