/** Calls to a real server of HTTP/2 whose gRPC the test writes, right and wrong. With gRPC itself: konnectivity-tunnel.test.ts. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { until } from '../../tools/until.fixture.ts';
import { GrpcStream, type GrpcOutcome } from './grpc-stream.ts';

type Answering = (stream: ServerHttp2Stream) => void;

const WINDOW_BYTES = 64 * 1_024;
const HEAD = { ':status': 200, 'content-type': 'application/grpc' };

let folder: string;
let path: string;
let server: Http2Server;
let answering: Answering;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-grpc-'));
  path = join(folder, 'server.sock');
  server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    answering(stream);
  });
  server.listen(path);
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function message(text: string, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(text.length, 1);
  return Buffer.concat([prefix, Buffer.from(text)]);
}

/** Ends with these trailers. */
function answered(chunks: readonly Buffer[], trailers: Record<string, string>): Answering {
  return (stream) => {
    stream.respond(HEAD, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      stream.sendTrailers(trailers);
    });
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
  };
}

function call() {
  const told: string[] = [];
  const outcomes: GrpcOutcome[] = [];
  const taker = {
    reached: () => undefined,
    message: (bytes: Buffer) => void told.push(bytes.toString()),
    ended: (outcome: GrpcOutcome) => void outcomes.push(outcome),
  };
  const clock = new ManualClock();
  const parts = { path, clock, method: '/a/b', windowBytes: WINDOW_BYTES, taker };
  const stream = new GrpcStream(parts);
  const ended = async (): Promise<GrpcOutcome | undefined> => {
    await until(() => outcomes.length > 0);
    return outcomes[0];
  };
  return { stream, told, outcomes, ended };
}

describe('a call', () => {
  it('takes messages however they are cut, and the status behind them', async () => {
    const all = Buffer.concat([message('one'), message(''), message('three')]);
    const bytes = Array.from(all, (byte) => Buffer.from([byte]));
    answering = answered(bytes, { 'grpc-status': '5', 'grpc-message': 'not %C3%BC here%' });
    const { told, ended } = call();
    expect(await ended()).toEqual({ code: 'NotFound', details: 'not ü here%' });
    expect(told).toEqual(['one', '', 'three']);
  });

  it.each<[string, Answering, string, RegExp]>([
    ['a message that is compressed', answered([message('x', 1)], {}), 'ResourceExhausted', /compr/],
    [
      'a message that is too large',
      answered([Buffer.from([0, 0, 0x40, 0, 1, 1])], {}),
      'ResourceExhausted',
      /larger than max \(4194305 vs. 4194304\)/,
    ],
    ['no status', answered([message('x')], {}), 'Internal', /without sending trailers/],
    ['a status that is none', answered([], { 'grpc-status': 'x' }), 'Unknown', /^$/],
    ['a status without a name', answered([], { 'grpc-status': '99' }), 'Code(99)', /^$/],
    [
      'another answer of HTTP',
      (stream) => {
        stream.respond({ ':status': 503 });
        stream.end('away');
      },
      'Unknown',
      /unexpected HTTP status code received from server: 503/,
    ],
    [
      'a status in the place of all',
      (stream) => {
        stream.respond({ ...HEAD, 'grpc-status': '12' }, { endStream: true });
      },
      'Unimplemented',
      /^$/,
    ],
    [
      'a reset',
      (stream) => {
        stream.respond(HEAD);
        stream.destroy(new Error('away'));
      },
      'Internal',
      /INTERNAL_ERROR; received from peer/,
    ],
    [
      'the end of its connection',
      (stream) => {
        stream.session?.destroy();
      },
      'Unavailable',
      /error reading from server: EOF/,
    ],
  ])('hears of %s', async (_what, answer, code, details) => {
    answering = answer;
    const { ended } = call();
    const outcome = await ended();
    expect(outcome?.code).toBe(code);
    expect(outcome?.details).toMatch(details);
  });

  it('holds back a server that is not read, and hears of its end behind what it said', async () => {
    let sent = 0;
    answering = (stream) => {
      const text = message('x'.repeat(10_000));
      stream.respond(HEAD, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '0' });
      });
      const more = (): void => {
        if (sent === 30) stream.end();
        else
          stream.write(text, () => {
            sent += 1;
            more();
          });
      };
      more();
    };
    const { stream, told, outcomes, ended } = call();
    stream.pause();
    await until(() => sent > 5);
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(sent).toBeLessThan(15);
    expect([told.length, outcomes.length]).toEqual([0, 0]);
    stream.resume();
    expect(await ended()).toEqual({ code: 'OK', details: '' });
    expect(told).toHaveLength(30);
  });

  it('that is taken back is told of nothing any more, and lets its writer go on', async () => {
    answering = (stream) => {
      stream.resume();
    };
    const { stream, outcomes } = call();
    let written = 0;
    stream.write(Buffer.from('early'), () => (written += 1));
    expect(written).toBe(1);
    await until(() => server.listenerCount('stream') > 0);
    for (let nth = 0; nth < 20; nth += 1) stream.write(Buffer.alloc(10_000), () => (written += 1));
    await new Promise(setImmediate);
    stream.cancel();
    expect(written).toBeGreaterThan(1);
    stream.write(Buffer.from('late'), () => (written = -1));
    expect([written, outcomes]).toEqual([-1, []]);
  });
});
