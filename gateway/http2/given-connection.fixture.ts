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

/** The client's end. */
export class GivenConnection {
  readonly clock = testClock();
  readonly requests: GivenRequest[] = [];
  readonly frames: SentFrame[] = [];
  readonly connection: Http2Connection;
  readonly client: Duplex;
  readonly #decoder = new HpackDecoder({ fields: 1_000, fieldBytes: 100_000, listBytes: 1e6 });
  #rest = Buffer.alloc(0);
  isEnded = false;

  /**
   * @param answer of each request; undefined: the test answers.
   * @param opening what the client says first.
   */
  constructor(
    answer: (request: GivenRequest) => void = () => undefined,
    opening = Buffer.concat([PREFACE, frame(FRAME.settings, 0)]),
  ) {
    const [server, client] = duplexPair();
    this.client = client;
    client.on('error', () => undefined);
    client.on('data', (chunk: Buffer) => {
      this.#cut(chunk);
    });
    client.on('end', () => {
      this.isEnded = true;
      client.end();
    });
    this.connection = new Http2Connection({
      socket: server,
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

  send(...frames: readonly Buffer[]): void {
    this.client.write(Buffer.concat(frames));
  }

  of(type: number, stream?: number): SentFrame[] {
    return this.frames.filter(
      (one) => one.type === type && (stream === undefined || one.stream === stream),
    );
  }

  /** All that was sent before has been read by the server, and its answers by the client. */
  async settled(): Promise<void> {
    const opaque = Buffer.from(String(Math.random()).padEnd(8).slice(-8));
    this.send(frame(FRAME.ping, 0, opaque));
    await until(
      () => this.isEnded || this.of(FRAME.ping).some(({ payload }) => payload.equals(opaque)),
    );
  }

  /** Until the server has hung up; the code that it gave. */
  async ended(): Promise<number> {
    await until(() => this.isEnded || this.client.destroyed);
    return this.of(FRAME.goAway).at(-1)?.payload.readUInt32BE(4) ?? CODE.noError;
  }

  /** What a stream was answered: its head and its body. */
  answer(stream: number): { fields: readonly string[]; body: string; isEnded: boolean } {
    const mine = this.frames.filter((one) => one.stream === stream);
    const body = mine.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload);
    return {
      fields: this.#heads.get(stream) ?? [],
      body: Buffer.concat(body).toString(),
      isEnded: mine.some(({ type, flags }) => type <= FRAME.headers && flags & FLAG.endStream),
    };
  }

  /** The codes by which it was reset. */
  resets(stream?: number): number[] {
    return this.of(FRAME.rstStream, stream).map(({ payload }) => payload.readUInt32BE());
  }

  readonly #heads = new Map<number, readonly string[]>();

  #cut(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= FRAME_HEAD_BYTES) {
      const end = FRAME_HEAD_BYTES + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) return;
      const [type = 0, flags = 0] = this.#rest.subarray(3);
      const stream = this.#rest.readUInt32BE(5);
      const payload = this.#rest.subarray(FRAME_HEAD_BYTES, end);
      this.frames.push({ type, flags, stream, payload });
      if (type === FRAME.headers) {
        const { fields } = this.#decoder.decode(payload, 0, payload.length);
        this.#heads.set(stream, [...(this.#heads.get(stream) ?? []), ...fields]);
      }
      this.#rest = this.#rest.subarray(end);
    }
  }
}
