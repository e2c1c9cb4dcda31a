/** A connection of a client over a pair of streams in memory, whose server says what a test makes it say. */
import { until } from '../../../tools/until.fixture.ts';
import { PREFACE } from '../frame-reader.ts';
import { FLAG, FRAME } from '../frames.ts';
import { block, frame, GivenEnd } from '../given-connection.fixture.ts';
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
export class GivenServer extends GivenEnd {
  readonly connection: ClientConnection;
  isReady = false;
  gone: Error | undefined;

  /** @param opening what the server says first. */
  constructor(opening = frame(FRAME.settings, 0)) {
    super(PREFACE.length);
    this.connection = new ClientConnection({
      ...{ socket: this.socket, clock: this.clock, windowBytes: WINDOW_BYTES },
      ready: () => {
        this.isReady = true;
      },
      gone: (error) => {
        this.gone = error;
      },
    });
    this.send(opening);
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
    await until(() => this.fields(asked.stream.id).length > 0);
    return asked;
  }

  /** Until the connection takes no more requests and has none. */
  async over(): Promise<void> {
    await until(() => this.gone !== undefined && this.connection.size === 0);
  }
}
