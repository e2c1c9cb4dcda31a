/**
 * Clients that break the protocol, and clients that keep its letter and cost the server more than
 * themselves. Each has its connection ended with the code of RFC 9113, and is held nothing for.
 */
import { describe, expect, it } from 'vitest';
import { CODE, FLAG, FRAME } from './frames.ts';
import {
  block,
  data,
  frame,
  GET,
  get,
  GivenConnection,
  number32,
  post,
  STREAMS_MAX,
} from './given-connection.fixture.ts';

const setting = (id: number, value: number): Buffer =>
  Buffer.concat([Buffer.from([0, id]), number32(value)]);
const priority = (on: number): Buffer => Buffer.concat([number32(on), Buffer.from([1])]);
const reset = (stream: number): Buffer => frame(FRAME.rstStream, stream, number32(CODE.cancel));
const openHead = (stream: number): Buffer => frame(FRAME.headers, stream, block(GET));

describe('a frame that breaks the protocol ends the connection', () => {
  it.each([
    ['DATA on no stream', data(0, 'x'), CODE.protocolError],
    ['HEADERS on no stream', get(0), CODE.protocolError],
    ['HEADERS on an even stream', get(2), CODE.protocolError],
    ['HEADERS on an older stream', Buffer.concat([get(5), get(3)]), CODE.protocolError],
    ['DATA on an idle stream', data(7, 'x'), CODE.protocolError],
    ['RST_STREAM on an idle stream', reset(7), CODE.protocolError],
    [
      'WINDOW_UPDATE on an idle stream',
      frame(FRAME.windowUpdate, 7, number32(1)),
      CODE.protocolError,
    ],
    ['CONTINUATION without HEADERS', frame(FRAME.continuation, 1), CODE.protocolError],
    ['a block that is interrupted', Buffer.concat([openHead(1), get(3)]), CODE.protocolError],
    [
      'a block that goes on elsewhere',
      Buffer.concat([openHead(1), frame(FRAME.continuation, 3)]),
      CODE.protocolError,
    ],
    ['PUSH_PROMISE', frame(FRAME.pushPromise, 1, number32(2)), CODE.protocolError],
    [
      'padding beyond the end',
      frame(FRAME.headers, 1, Buffer.from([9, 1]), 0xc),
      CODE.protocolError,
    ],
    ['a dependency on itself', frame(FRAME.priority, 1, priority(1)), CODE.protocolError],
    ['a short PRIORITY', frame(FRAME.priority, 1, number32(0)), CODE.frameSizeError],
    ['a long RST_STREAM', frame(FRAME.rstStream, 1, Buffer.alloc(5)), CODE.frameSizeError],
    ['a short PING', frame(FRAME.ping, 0, Buffer.alloc(7)), CODE.frameSizeError],
    ['PING on a stream', frame(FRAME.ping, 1, Buffer.alloc(8)), CODE.protocolError],
    ['SETTINGS on a stream', frame(FRAME.settings, 1), CODE.protocolError],
    ['SETTINGS of a wrong length', frame(FRAME.settings, 0, Buffer.alloc(5)), CODE.frameSizeError],
    [
      'SETTINGS acknowledged with some',
      frame(FRAME.settings, 0, setting(4, 1), 1),
      CODE.frameSizeError,
    ],
    [
      'a window that is too large',
      frame(FRAME.settings, 0, setting(4, 2 ** 31)),
      CODE.flowControlError,
    ],
    ['ENABLE_PUSH of 2', frame(FRAME.settings, 0, setting(2, 2)), CODE.protocolError],
    ['MAX_FRAME_SIZE of 1', frame(FRAME.settings, 0, setting(5, 1)), CODE.protocolError],
    ['a window opened by nothing', frame(FRAME.windowUpdate, 0, number32(0)), CODE.protocolError],
    [
      'a window opened too far',
      frame(FRAME.windowUpdate, 0, number32(2 ** 31 - 1)),
      CODE.flowControlError,
    ],
    ['GOAWAY on a stream', frame(FRAME.goAway, 1, Buffer.alloc(8)), CODE.protocolError],
    ['a short GOAWAY', frame(FRAME.goAway, 0, Buffer.alloc(7)), CODE.frameSizeError],
    ['a frame that is too large', frame(FRAME.data, 1, Buffer.alloc(16_385)), CODE.frameSizeError],
    [
      'a block that is no HPACK',
      frame(FRAME.headers, 1, Buffer.from([0x80]), 5),
      CODE.compressionError,
    ],
  ])('%s', async (_what, bytes, code) => {
    const given = new GivenConnection();
    given.send(bytes);
    expect(await given.ended()).toBe(code);
    // What the client sends afterwards is not heard.
    const requests = given.requests.length;
    given.send(get(101));
    expect(given.requests).toHaveLength(requests);
    given.clock.advance(1_000);
  });

  it('and so does a client that speaks another protocol', async () => {
    const given = new GivenConnection(undefined, Buffer.from('GET / HTTP/1.1\r\n\r\n'));
    expect(await given.ended()).toBe(CODE.protocolError);
  });

  it.each([
    ['HEADERS', get(1), CODE.streamClosed],
    ['trailers', frame(FRAME.headers, 1, block([['a', 'b']]), 5), CODE.streamClosed],
    ['DATA', data(1, 'x'), CODE.streamClosed],
  ])('but %s behind the end of a request resets it', async (_what, bytes, code) => {
    const given = new GivenConnection();
    given.send(get(1), bytes);
    await given.settled();
    expect(given.resets(1)).toEqual([code]);
  });

  it('and HEADERS on a stream that is over does', async () => {
    const given = new GivenConnection(({ stream }) => {
      stream.end();
    });
    given.send(get(1));
    await given.settled();
    given.send(get(1));
    expect(await given.ended()).toBe(CODE.streamClosed);
  });
});

/** Sends the same until the server has had enough. @returns how many times at most. */
async function untilRefused(
  given: GivenConnection,
  most: number,
  make: (time: number) => Buffer,
): Promise<number> {
  for (let time = 0; time < most; time += 100) {
    for (let at = time; at < time + 100; at += 1) given.send(make(at));
    await given.settled();
    if (given.isEnded) return time;
  }
  return most;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const stream = (time: number): number => 2 * time + 1;
const cheap = Buffer.alloc(8);

describe('a flood ends the connection', () => {
  it.each([
    [
      'requests that are reset (CVE-2023-44487)',
      (at: number) => [get(stream(at)), reset(stream(at))],
    ],
    [
      'requests that the server is made to reset (CVE-2025-8671)',
      (at: number) => [get(stream(at)), frame(FRAME.windowUpdate, stream(at), number32(0))],
    ],
    [
      'requests whose windows are made to overflow',
      (at: number) => [
        get(stream(at)),
        frame(FRAME.windowUpdate, stream(at), number32(2 ** 31 - 1)),
      ],
    ],
    [
      'requests with DATA behind their end',
      (at: number) => [get(stream(at)), data(stream(at), 'x')],
    ],
    [
      'malformed requests',
      (at: number) => [frame(FRAME.headers, stream(at), block(GET.slice(1)), 5)],
    ],
    [
      'requests whose bodies are too long',
      (at: number) => [post(stream(at), [['content-length', '1']]), data(stream(at), 'xx')],
    ],
  ])('of %s', async (_what, make) => {
    const given = new GivenConnection();
    const times = await untilRefused(given, 3_000, (at) => Buffer.concat(make(at)));
    expect(times).toBeGreaterThanOrEqual(900);
    expect(times).toBeLessThan(1_200);
    expect(await given.ended()).toBe(CODE.enhanceYourCalm);
    expect(given.connection.openStreams).toBe(0);
  });

  it.each([
    ['PING', frame(FRAME.ping, 0, cheap)],
    ['PING answers', frame(FRAME.ping, 0, cheap, FLAG.ack)],
    ['SETTINGS', frame(FRAME.settings, 0)],
    ['SETTINGS answers', frame(FRAME.settings, 0, undefined, FLAG.ack)],
    ['PRIORITY', frame(FRAME.priority, 1, priority(3))],
    ['frames of unknown types', frame(0x20, 1)],
    ['windows of the connection', frame(FRAME.windowUpdate, 0, number32(1))],
    ['windows of a stream', frame(FRAME.windowUpdate, 1, number32(1))],
    ['empty DATA', data(1, '')],
    ['DATA that is nearly empty', data(1, 'x')],
  ])('of %s', async (_what, bytes) => {
    const given = new GivenConnection();
    given.send(post(1));
    const times = await untilRefused(given, 20_000, () => bytes);
    expect(times).toBeLessThan(11_000);
    expect(await given.ended()).toBe(CODE.enhanceYourCalm);
  });

  it('of windows that open byte by byte (CVE-2019-9511)', async () => {
    const given = new GivenConnection(({ stream: one }) => {
      one.head(200, {});
      one.end(Buffer.alloc(60_000));
    });
    given.send(frame(FRAME.settings, 0, setting(4, 0)), get(1));
    const byte = frame(FRAME.windowUpdate, 1, number32(1));
    expect(await untilRefused(given, 20_000, () => byte)).toBeLessThan(11_000);
    expect(await given.ended()).toBe(CODE.enhanceYourCalm);
  });

  it('of CONTINUATION', async () => {
    const given = new GivenConnection();
    given.send(openHead(1), ...Array.from({ length: 20 }, () => frame(FRAME.continuation, 1)));
    expect(await given.ended()).toBe(CODE.enhanceYourCalm);
  });

  it('of headers that never end', async () => {
    const given = new GivenConnection();
    given.send(openHead(1));
    for (let at = 0; at < 5; at += 1)
      given.send(frame(FRAME.continuation, 1, Buffer.alloc(16_000, 0x82)));
    expect(await given.ended()).toBe(CODE.enhanceYourCalm);
    expect(given.connection.headSince).toBeUndefined();
  });

  it('of resets in the course of time does not, where they are few', async () => {
    const given = new GivenConnection();
    for (let at = 0; at < 2_000; at += 1) {
      given.send(get(stream(at)), reset(stream(at)));
      given.clock.advance(40);
      if (at % 100 === 0) await given.settled();
    }
    await given.settled();
    expect(given.isEnded).toBe(false);
  });

  it('of window updates does not, where they answer what was sent', async () => {
    const given = new GivenConnection();
    given.send(get(1));
    await given.settled();
    const answer = given.requests[0]?.stream;
    answer?.head(200, {});
    for (let at = 0; at < 40; at += 1) {
      answer?.write(Buffer.alloc(64_000));
      await given.settled();
      for (let update = 0; update < 125; update += 1) {
        given.send(
          frame(FRAME.windowUpdate, 0, number32(512)),
          frame(FRAME.windowUpdate, 1, number32(512)),
        );
      }
      await given.settled();
    }
    expect(given.isEnded).toBe(false);
  });
});

describe('what is held for a client', () => {
  it('is no head of more than a head may have, however few bytes name it', async () => {
    const given = new GivenConnection();
    const value = 'a'.repeat(100);
    // The first block puts a field in the table, the second names it 10,000 times.
    const kept = Buffer.concat([
      block(GET),
      Buffer.from([0x40, 1]),
      Buffer.from('x'),
      Buffer.from([100]),
      Buffer.from(value),
    ]);
    const bomb = Buffer.concat([block(GET), Buffer.alloc(10_000, 0xbe)]);
    given.send(frame(FRAME.headers, 1, kept, 5), frame(FRAME.headers, 3, bomb, 5), get(5));
    await given.settled();
    expect(given.requests.map(({ head }) => head?.headers['x'])).toEqual([
      value,
      undefined,
      undefined,
    ]);
    expect(given.requests[1]?.head).toBeUndefined();
  });

  it('are no answers to a client that reads nothing, but what a socket holds', async () => {
    const given = new GivenConnection(({ stream: one }) => {
      one.head(200, { 'x-long': 'a'.repeat(4_000) });
      one.end();
    });
    await given.settled();
    given.wire.pause();
    for (let at = 0; at < 1_000; at += 1) {
      given.send(get(stream(at)));
      if (at % 5 === 0) await turn();
    }
    expect(given.connection.openStreams).toBe(STREAMS_MAX);
    expect(given.requests.length).toBeLessThan(100);
    given.wire.resume();
    await given.settled();
  });

  it('are no acknowledgements to a client that reads none', async () => {
    const given = new GivenConnection(({ stream: one }) => {
      one.head(200, {});
      one.end(Buffer.alloc(60_000));
    });
    await given.settled();
    given.wire.pause();
    given.send(get(1), get(3));
    for (let at = 0; at < 9_000; at += 1) {
      given.send(frame(FRAME.ping, 0, cheap));
      if (at % 100 === 0) await turn();
    }
    expect(given.connection.openStreams).toBe(0);
    given.send(get(101));
    await turn();
    expect(given.requests).toHaveLength(2);
  });
});
