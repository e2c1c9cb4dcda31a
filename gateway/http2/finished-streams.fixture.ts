/** Requests that are served over a connection in memory, and how much of them V8 moves to the old generation. */
import { Duplex } from 'node:stream';
import { oldGenerationGrowth } from '../../actors/pipeline/old-generation.fixture.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import { until } from '../../tools/until.fixture.ts';
import { Http2Connection } from './connection.ts';
import { FLAG, FRAME } from './frames.ts';
import { data, frame, FrameCutter, get, post, PREFACE } from './given-connection.fixture.ts';
import type { Http2Stream } from './stream.ts';

const ROUNDS = 500;
const AT_A_TIME = 8;
/** Each request carries so much with it; that of all is 16 MB, the young generation several times. */
const WEIGHT = 500;
const BYTES_EACH = 8 * WEIGHT;
/** A client that forgets what it was told, and counts the streams that ended. */
class ForgetfulClient extends Duplex {
  ended = 0;
  #stream = 1;
  readonly #cutter = new FrameCutter(({ type, flags }) => {
    if (type <= FRAME.headers && (flags & FLAG.endStream) !== 0) this.ended += 1;
  });

  override _read(): void {
    // It says something when it wants to.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#cutter.cut(chunk);
    done();
  }

  /** GETs and POSTs by turns, of which the next are sent when all are answered. */
  async ask(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      const due = this.ended + AT_A_TIME;
      for (let count = 0; count < AT_A_TIME; count += 1) this.push(this.#next());
      await until(() => this.ended === due);
    }
  }

  #next(): Buffer {
    const id = this.#stream;
    this.#stream += 2;
    return id % 4 === 1 ? get(id) : Buffer.concat([post(id), data(id, 'a body', true)]);
  }
}

async function answer(stream: Http2Stream): Promise<void> {
  await stream.readBody(100);
  stream.head(200, { 'Content-Length': '2' });
  stream.end(Buffer.from('ok'));
}

/** What a server does with each request besides: nothing, or it keeps them in a table that is exchanged when it is full. */
const KEEPING = {
  nothing: () => () => undefined,
  some: () => {
    const waiting = new Set<object>();
    return (request: object) => {
      waiting.add(request);
      if (waiting.size > AT_A_TIME) waiting.delete(waiting.values().next().value ?? request);
    };
  },
};

/** The share of what all requests carry that is old when they are over. Call it in a process of its own. */
export async function shareLeft(keeping: keyof typeof KEEPING): Promise<number> {
  return (await growth(KEEPING[keeping]())) / (ROUNDS * AT_A_TIME * BYTES_EACH);
}

/** @param kept what the server does with each request besides. */
async function growth(kept: (request: object) => void): Promise<number> {
  const socket = new ForgetfulClient();
  const connection = new Http2Connection({
    socket,
    clock: testClock(),
    limits: { fields: 100, fieldBytes: 10_000, listBytes: 20_000 },
    streamsMax: AT_A_TIME,
    request: (stream) => {
      const weight = Array<number>(WEIGHT).fill(stream.id);
      kept(weight);
      stream.onClose(() => {
        weight.fill(0);
      });
      void answer(stream);
    },
  });
  socket.push(Buffer.concat([PREFACE, frame(FRAME.settings, 0)]));
  await socket.ask(20);
  const grown = await oldGenerationGrowth(() => socket.ask(ROUNDS));
  if (connection.openStreams > 0) throw new Error('a request is open still');
  socket.destroy();
  return grown;
}
