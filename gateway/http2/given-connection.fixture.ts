/** A connection of HTTP/2 over a pair of streams in memory, whose other end says what a test makes it say. */
import { duplexPair, type Duplex } from 'node:stream';
import { testClock } from '../../actors/request/given.fixture.ts';
import { until } from '../../tools/until.fixture.ts';
import { Http2Connection } from './connection.ts';
import { CODE, FLAG, FRAME, FRAME_HEAD_BYTES, writeFrameHead } from './frames.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import type { RequestHead } from './request-fields.ts';
import type { Http2Stream } from './stream.ts';

export interface SentFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export interface GivenRequest {
  readonly stream: Http2Stream;
  readonly head: RequestHead | undefined;
}

const LIMITS = { fields: 100, fieldBytes: 10_000, listBytes: 20_000 };
export const STREAMS_MAX = 10;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(
  type: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
  flags = 0,
): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  writeFrameHead(head, 0, { type, flags, stream, length: payload.length });
  return Buffer.concat([head, payload]);
}

/** Not indexed, and without Huffman. */
export function block(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(
    fields.map(([name, value]) =>
      Buffer.concat([
        Buffer.from([0, name.length]),
        Buffer.from(name, 'latin1'),
        Buffer.from([value.length]),
        Buffer.from(value, 'latin1'),
      ]),
    ),
  );
}

export const GET = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/'],
] as const;
export const POST = [
  [':method', 'POST'],
  [':scheme', 'https'],
  [':path', '/'],
] as const;

export function get(stream: number): Buffer {
  return frame(FRAME.headers, stream, block(GET), FLAG.endHeaders | FLAG.endStream);
}

export function post(stream: number, more: readonly (readonly [string, string])[] = []): Buffer {
  return frame(FRAME.headers, stream, block([...POST, ...more]), FLAG.endHeaders);
}

export function data(stream: number, payload: string | Uint8Array, isEnd = false): Buffer {
  return frame(FRAME.data, stream, Buffer.from(payload), isEnd ? FLAG.endStream : 0);
}

export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** What comes from the other end, cut into frames. */
export class FrameCutter {
  readonly #taken: (frame: SentFrame) => void;
  #skipped: number;
  #rest: Buffer = Buffer.alloc(0);

  /** @param skipped bytes before the first frame. */
  constructor(taken: (frame: SentFrame) => void, skipped = 0) {
    this.#taken = taken;
    this.#skipped = skipped;
  }

  cut(chunk: Buffer): void {
    const skipped = Math.min(this.#skipped, chunk.length);
    this.#skipped -= skipped;
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(skipped)]);
    while (this.#rest.length >= FRAME_HEAD_BYTES) {
      const end = FRAME_HEAD_BYTES + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) return;
      const [type = 0, flags = 0] = this.#rest.subarray(3);
      const stream = this.#rest.readUInt32BE(5);
      const payload = this.#rest.subarray(FRAME_HEAD_BYTES, end);
      this.#rest = this.#rest.subarray(end);
      this.#taken({ type, flags, stream, payload });
    }
  }
}

/** The end that a test has of a connection in memory: what it sends, and what has come. */
export class GivenEnd {
  readonly clock = testClock();
  readonly frames: SentFrame[] = [];
  /** Of the test. */
  readonly wire: Duplex;
  /** Of what is tested. */
  readonly socket: Duplex;
  isEnded = false;
  readonly #decoder = new HpackDecoder({ fields: 1_000, fieldBytes: 100_000, listBytes: 1e6 });
  readonly #heads = new Map<number, readonly string[]>();

  /** @param skipped bytes of what comes before the first frame. */
  constructor(skipped = 0) {
    const [socket, wire] = duplexPair();
    this.socket = socket;
    this.wire = wire;
    const cutter = new FrameCutter((taken) => {
      this.#take(taken);
    }, skipped);
    wire.on('error', () => undefined);
    wire.on('data', (chunk: Buffer) => {
      cutter.cut(chunk);
    });
    wire.on('end', () => {
      this.isEnded = true;
      wire.end();
    });
  }

  send(...frames: readonly Buffer[]): void {
    this.wire.write(Buffer.concat(frames));
  }

  of(type: number, stream?: number): SentFrame[] {
    return this.frames.filter(
      (one) => one.type === type && (stream === undefined || one.stream === stream),
    );
  }

  /** Of all heads of a stream that have come. */
  fields(stream: number): readonly string[] {
    return this.#heads.get(stream) ?? [];
  }

  body(stream: number): string {
    return Buffer.concat(this.of(FRAME.data, stream).map(({ payload }) => payload)).toString();
  }

  /** The codes by which streams were reset. */
  resets(stream?: number): number[] {
    return this.of(FRAME.rstStream, stream).map(({ payload }) => payload.readUInt32BE());
  }

  /** All that was sent before has been read by the other end, and what it said has come. */
  async settled(): Promise<void> {
    const opaque = Buffer.from(String(Math.random()).padEnd(8).slice(-8));
    this.send(frame(FRAME.ping, 0, opaque));
    await until(
      () => this.isEnded || this.of(FRAME.ping).some(({ payload }) => payload.equals(opaque)),
    );
  }

  /** Until the other end has hung up; the code that it gave. */
  async ended(): Promise<number> {
    await until(() => this.isEnded || this.wire.destroyed);
    return this.of(FRAME.goAway).at(-1)?.payload.readUInt32BE(4) ?? CODE.noError;
  }

  #take(taken: SentFrame): void {
    this.frames.push(taken);
    const { type, stream, payload } = taken;
    if (type !== FRAME.headers) return;
    const { fields } = this.#decoder.decode(payload, 0, payload.length);
    this.#heads.set(stream, [...this.fields(stream), ...fields]);
  }
}

/** The client's end. */
export class GivenConnection extends GivenEnd {
  readonly requests: GivenRequest[] = [];
  readonly connection: Http2Connection;

  /**
   * @param answer of each request; undefined: the test answers.
   * @param opening what the client says first.
   */
  constructor(
    answer: (request: GivenRequest) => void = () => undefined,
    opening = Buffer.concat([PREFACE, frame(FRAME.settings, 0)]),
  ) {
    super();
    this.connection = new Http2Connection({
      socket: this.socket,
      clock: this.clock,
      limits: LIMITS,
      streamsMax: STREAMS_MAX,
      request: (stream, head) => {
        this.requests.push({ stream, head });
        answer({ stream, head });
      },
    });
    this.send(opening);
  }

  /** What a stream was answered: its head and its body. */
  answer(stream: number): { fields: readonly string[]; body: string; isEnded: boolean } {
    const mine = this.frames.filter((one) => one.stream === stream);
    return {
      fields: this.fields(stream),
      body: this.body(stream),
      isEnded: mine.some(({ type, flags }) => type <= FRAME.headers && flags & FLAG.endStream),
    };
  }
}
