/**
 * Reads the heads that a peer sends: blocks of headers, in one frame or in several, none of which has anything
 * else between its frames.
 *
 * In the RFCs: RFC 9113, section 4.3.
 */
import { contentOf, type Frame } from './frame-rules.ts';
import { CODE, ConnectionError, FLAG, FRAME } from './frames.ts';
import { HeaderBlock, type HeldBlocks } from './header-block.ts';
import { HpackDecoder, type DecodedHead, type HeadLimits } from './hpack-decoder.ts';

export interface HeadReaderParts {
  readonly limits: HeadLimits;
  /** Of all peers of this kind. */
  readonly held: HeldBlocks;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes one. @param isEnd whether nothing follows it on the stream. */
  readonly take: (stream: number, isEnd: boolean, head: DecodedHead) => void;
}

export class HeadReader {
  /** When a block began that is not whole; undefined: there is none. */
  since: number | undefined;
  readonly #parts: HeadReaderParts;
  readonly #decoder: HpackDecoder;
  #block: HeaderBlock | undefined;

  constructor(parts: HeadReaderParts) {
    this.#parts = parts;
    this.#decoder = new HpackDecoder(parts.limits);
  }

  /** A block that is begun is followed by its rest and nothing else. @throws ConnectionError */
  check({ type, stream }: Frame): void {
    const isContinued = type === FRAME.continuation;
    const isRight =
      this.#block === undefined ? !isContinued : isContinued && this.#block.stream === stream;
    if (isRight) return;
    throw new ConnectionError(CODE.protocolError, 'a block of headers is broken off');
  }

  /** @throws ConnectionError */
  headers(frame: Frame): void {
    const { flags, stream, bytes } = frame;
    const { start, end } = contentOf(frame);
    const isEnd = (flags & FLAG.endStream) !== 0;
    const { limits, held, now, take } = this.#parts;
    if (flags & FLAG.endHeaders) {
      take(stream, isEnd, this.#decoder.decode(bytes, start, end));
      return;
    }
    this.since = now();
    this.#block = new HeaderBlock({ stream, isEnd, bytesMax: 2 * limits.listBytes, held });
    this.#block.add(bytes, start, end);
  }

  /** @throws ConnectionError */
  continuation({ flags, bytes, from, to }: Frame): void {
    const block = this.#block;
    if (block === undefined) return;
    block.add(bytes, from, to);
    if ((flags & FLAG.endHeaders) === 0) return;
    this.#block = undefined;
    this.since = undefined;
    const whole = block.whole();
    this.#parts.take(block.stream, block.isEnd, this.#decoder.decode(whole, 0, whole.length));
  }

  /** Nothing more is read. */
  end(): void {
    this.#block?.drop();
    this.#block = undefined;
    this.since = undefined;
  }
}
