/** A connection of a client over a pair of streams in memory, whose server says what a test makes it say. */
import { duplexPair, type Duplex } from 'node:stream';
import { testClock } from '../../../actors/request/given.fixture.ts';
import { until } from '../../../tools/until.fixture.ts';
import { PREFACE } from '../frame-reader.ts';
import { CODE, FLAG, FRAME, FRAME_HEAD_BYTES } from '../frames.ts';
import { block, frame, type SentFrame } from '../given-connection.fixture.ts';
import { HpackDecoder } from '../hpack-decoder.ts';
import { ClientConnection } from './client-connection.ts';
import type { AnswerTaker, ClientStream } from './client-stream.ts';

export const WINDOW_BYTES = 128 * 1_024;

/** A request, and what was told of its answer. */
export class Asked implements AnswerTaker {
  readonly stream: ClientStream;
  isHead = false;
  overs = 0;
  told = 0;

  constructor(ask: (taker: AnswerTaker) => ClientStream) {
    this.stream = ask(this);
  }

  head(): void {
    this.isHead = true;
  }

  more(): void {
    this.told += 1;
  }

  over(): void {
    this.overs += 1;
  }

  get isOver(): boolean {
    return this.overs > 0;
  }

  /** All that has come, as text. */
  text(): string {
    return this.stream.read()?.toString() ?? '';
  }
}

/** A head of an answer with a status of 200 and these headers. */
export function answer(
  stream: number,
  isEnd = false,
  fields: readonly (readonly [string, string])[] = [[':status', '200']],
): Buffer {
  const flags = FLAG.endHeaders | (isEnd ? FLAG.endStream : 0);
  return frame(FRAME.headers, stream, block(fields), flags);
}

/** The server's end. */
export class GivenServer {
  readonly clock = testClock();
  readonly frames: SentFrame[] = [];
  readonly connection: ClientConnection;
  readonly server: Duplex;
  isReady = false;
  gone: Error | undefined;
  isEnded = false;
  readonly #decoder = new HpackDecoder({ fields: 1_000, fieldBytes: 100_000, listBytes: 1e6 });
  readonly #heads = new Map<number, readonly string[]>();
  #rest = Buffer.alloc(0);
  #greeted = 0;

  /** @param opening what the server says first. */
  constructor(opening = frame(FRAME.settings, 0)) {
    const [socket, server] = duplexPair();
    this.server = server;
    server.on('error', () => undefined);
    server.on('data', (chunk: Buffer) => {
      this.#cut(chunk);
    });
    server.on('end', () => {
      this.isEnded = true;
      server.end();
    });
    this.connection = new ClientConnection({
      ...{ socket, clock: this.clock, windowBytes: WINDOW_BYTES },
      ready: () => {
        this.isReady = true;
      },
      gone: (error) => {
        this.gone = error;
      },
    });
    this.send(opening);
  }

  send(...frames: readonly Buffer[]): void {
    this.server.write(Buffer.concat(frames));
  }

  async ready(): Promise<this> {
    await until(() => this.isReady);
    return this;
  }

  ask(headers: readonly string[] = [], { method = 'GET', hasBody = false } = {}): Asked {
    const line = { method, scheme: 'https', authority: 'far:443', path: '/x?y' } as const;
    this.connection.reserve();
    return new Asked((taker) => this.connection.request({ line, headers, hasBody }, taker));
  }

  /** Requests whose heads have come to the server. */
  async asked(headers: readonly string[] = [], options = {}): Promise<Asked> {
    const asked = this.ask(headers, options);
    await until(() => this.#heads.has(asked.stream.id));
    return asked;
  }

  of(type: number, stream?: number): SentFrame[] {
    return this.frames.filter(
      (one) => one.type === type && (stream === undefined || one.stream === stream),
    );
  }

  fields(stream: number): readonly string[] {
    return this.#heads.get(stream) ?? [];
  }

  body(stream: number): string {
    return Buffer.concat(this.of(FRAME.data, stream).map(({ payload }) => payload)).toString();
  }

  resets(stream?: number): number[] {
    return this.of(FRAME.rstStream, stream).map(({ payload }) => payload.readUInt32BE());
  }

  /** All that was sent before has been read by the client, and what it said has come. */
  async settled(): Promise<void> {
    const opaque = Buffer.from(String(Math.random()).padEnd(8).slice(-8));
    this.send(frame(FRAME.ping, 0, opaque));
    await until(
      () => this.isEnded || this.of(FRAME.ping).some(({ payload }) => payload.equals(opaque)),
    );
  }

  /** Until the connection takes no more requests and has none. */
  async over(): Promise<void> {
    await until(() => this.gone !== undefined && this.connection.size === 0);
  }

  /** Until the client has hung up; the code that it gave. */
  async ended(): Promise<number> {
    await until(() => this.isEnded || this.server.destroyed);
    return this.of(FRAME.goAway).at(-1)?.payload.readUInt32BE(4) ?? CODE.noError;
  }

  #cut(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    if (this.#greeted === 0) {
      if (this.#rest.length < PREFACE.length) return;
      this.#greeted = PREFACE.length;
      this.#rest = this.#rest.subarray(PREFACE.length);
    }
    while (this.#rest.length >= FRAME_HEAD_BYTES) {
      const end = FRAME_HEAD_BYTES + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) return;
      const [type = 0, flags = 0] = this.#rest.subarray(3);
      const stream = this.#rest.readUInt32BE(5);
      const payload = this.#rest.subarray(FRAME_HEAD_BYTES, end);
      this.frames.push({ type, flags, stream, payload });
      if (type === FRAME.headers) {
        this.#heads.set(stream, this.#decoder.decode(payload, 0, payload.length).fields);
      }
      this.#rest = this.#rest.subarray(end);
    }
  }
}
