/**
 * Servers that break the protocol, and servers that keep its letter and cost the client more than themselves. Each has
 * its connection ended with the code of RFC 9113, or its stream reset, and is held nothing for.
 */
import { describe, expect, it } from 'vitest';
import { until } from '../../../tools/until.fixture.ts';
import { CODE, FLAG, FRAME } from '../frames.ts';
import { block, data, frame, get, number32 } from '../given-connection.fixture.ts';
import { answer, GivenServer, WINDOW_BYTES } from './given-server.fixture.ts';

const setting = (id: number, value: number): Buffer =>
  Buffer.concat([Buffer.from([0, id]), number32(value)]);
const open = (stream: number): Buffer => frame(FRAME.headers, stream, block([[':status', '200']]));
const trailers = (stream: number, flags: number): Buffer =>
  frame(FRAME.headers, stream, block([['a', 'b']]), flags);

describe('a frame that breaks the protocol ends the connection', () => {
  it.each([
    ['DATA on no stream', data(0, 'x'), CODE.protocolError],
    ['DATA on a stream that was never opened', data(3, 'x'), CODE.protocolError],
    ['DATA on a stream of the server', data(2, 'x'), CODE.protocolError],
    ['HEADERS on no stream', answer(0), CODE.protocolError],
    ['HEADERS on a stream that was never opened', answer(3), CODE.protocolError],
    ['HEADERS on a stream of the server', answer(2), CODE.protocolError],
    ['a request', get(3), CODE.protocolError],
    [
      'RST_STREAM on a stream that was never opened',
      frame(FRAME.rstStream, 3, number32(8)),
      CODE.protocolError,
    ],
    ['WINDOW_UPDATE on one', frame(FRAME.windowUpdate, 3, number32(1)), CODE.protocolError],
    ['PUSH_PROMISE', frame(FRAME.pushPromise, 1, number32(2)), CODE.protocolError],
    ['CONTINUATION without HEADERS', frame(FRAME.continuation, 1), CODE.protocolError],
    ['a head that is interrupted', Buffer.concat([open(1), data(1, 'x')]), CODE.protocolError],
    [
      'a head that goes on elsewhere',
      Buffer.concat([open(1), frame(FRAME.continuation, 3)]),
      CODE.protocolError,
    ],
    ['padding beyond the end', frame(FRAME.data, 1, Buffer.from([9]), 8), CODE.protocolError],
    ['a short PING', frame(FRAME.ping, 0, Buffer.alloc(7)), CODE.frameSizeError],
    ['a short GOAWAY', frame(FRAME.goAway, 0, Buffer.alloc(7)), CODE.frameSizeError],
    ['SETTINGS of a wrong length', frame(FRAME.settings, 0, Buffer.alloc(5)), CODE.frameSizeError],
    ['a server that may push', frame(FRAME.settings, 0, setting(2, 1)), CODE.protocolError],
    [
      'a window that is too large',
      frame(FRAME.settings, 0, setting(4, 2 ** 31)),
      CODE.flowControlError,
    ],
    [
      'a window opened too far',
      frame(FRAME.windowUpdate, 0, number32(2 ** 31 - 1)),
      CODE.flowControlError,
    ],
    ['a window opened by nothing', frame(FRAME.windowUpdate, 0, number32(0)), CODE.protocolError],
    ['a frame that is too large', frame(FRAME.data, 1, Buffer.alloc(16_385)), CODE.frameSizeError],
    [
      'a head that is no HPACK',
      frame(FRAME.headers, 1, Buffer.from([0x80]), 5),
      CODE.compressionError,
    ],
  ])('%s', async (_what, bytes, code) => {
    const given = await new GivenServer().ready();
    const asked = await given.asked();
    given.send(bytes, answer(1, true));
    expect(await given.ended()).toBe(code);
    expect(asked.stream.error?.fate).toBe('unknown');
    expect(given.gone?.message).toMatch(/^connection error: /);
  });

  it.each([
    ['speaks another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['does not begin with its settings', frame(FRAME.ping, 0, Buffer.alloc(8))],
    ['acknowledges settings before it has said its own', frame(FRAME.settings, 0, undefined, 1)],
  ])('and so does a server that %s', async (_what, opening) => {
    const given = new GivenServer(opening);
    await given.ended();
    expect(given.isReady).toBe(false);
    expect(given.gone).toBeDefined();
  });
});

describe('an answer that breaks the protocol is reset, and no other', () => {
  const status = [':status', '200'] as const;
  it.each([
    ['has no status', answer(1, true, [['a', 'b']])],
    ['has two', answer(1, true, [status, status])],
    ['has its status behind a header', answer(1, true, [['a', 'b'], status])],
    ['has a status that is none', answer(1, true, [[':status', '20']])],
    ['has a path', answer(1, true, [status, [':path', '/']])],
    ['names a header of its connection', answer(1, true, [status, ['connection', 'close']])],
    ['switches protocols', answer(1, false, [[':status', '101']])],
    ['has a name in upper case', answer(1, true, [status, ['A', 'b']])],
    ['has a value of two lines', answer(1, true, [status, ['a', 'b\r\nc: d']])],
    ['ends with a head that tells of it', answer(1, true, [[':status', '100']])],
    [
      'has two lengths',
      answer(1, false, [status, ['content-length', '1'], ['content-length', '2']]),
    ],
    ['has a length that is none', answer(1, false, [status, ['content-length', '-1']])],
    [
      'is longer than it said',
      [answer(1, false, [status, ['content-length', '1']]), data(1, 'xx')],
    ],
    [
      'is shorter than it said',
      [answer(1, false, [status, ['content-length', '3']]), data(1, 'xx', true)],
    ],
    ['has a body where there is none', [answer(1, false, [[':status', '204']]), data(1, 'x')]],
    ['has a body and no head', data(1, 'x')],
    ['has trailers that do not end it', [answer(1), trailers(1, FLAG.endHeaders)]],
    ['has a status in its trailers', [answer(1), answer(1, true)]],
  ])('one that %s', async (_what, bytes) => {
    const given = await new GivenServer().ready();
    const [asked, other] = [await given.asked(), await given.asked()];
    given.send(...[bytes].flat());
    await until(() => asked.isOver);
    expect(asked.stream.error).toMatchObject({
      message: 'stream error: stream ID 1; PROTOCOL_ERROR',
    });
    given.send(answer(3), data(3, 'fine', true));
    await until(() => other.isOver);
    expect(given.resets()).toEqual([CODE.protocolError]);
    expect(other.text()).toBe('fine');
  });

  it('one to HEAD that has a body', async () => {
    const given = await new GivenServer().ready();
    const asked = await given.asked([], { method: 'HEAD' });
    given.send(answer(1, false, [status, ['content-length', '1']]), data(1, 'x', true));
    await until(() => asked.isOver);
    expect(asked.stream.error).toBeDefined();
  });

  it('one that goes on behind its end, while its request is being sent', async () => {
    const given = await new GivenServer().ready();
    const asked = await given.asked([], { method: 'POST', hasBody: true });
    given.send(answer(1), data(1, 'x', true), data(1, 'y'));
    await given.settled();
    expect(given.resets()).toEqual([CODE.streamClosed]);
    expect(asked.text()).toBe('x');
  });

  it('one that is longer than its window', async () => {
    const given = await new GivenServer().ready();
    await given.asked();
    const chunks = Array.from({ length: WINDOW_BYTES / 16_384 }, () =>
      data(1, Buffer.alloc(16_384)),
    );
    given.send(answer(1), ...chunks, data(1, 'x'));
    await given.settled();
    expect(given.resets()).toEqual([CODE.flowControlError]);
  });

  it('one whose head is too large', async () => {
    const given = await new GivenServer().ready();
    const asked = await given.asked();
    const large = block([[':status', '200']]);
    const literal = Buffer.concat([
      Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]),
      Buffer.alloc(4_000, 'v'),
    ]);
    // A byte stands for the field that the literal left in the table.
    const again = Buffer.alloc(300, 0xbe);
    given.send(frame(FRAME.headers, 1, Buffer.concat([large, literal, again]), 5));
    await given.settled();
    expect(asked.stream.error).toBeDefined();
    expect(given.resets()).toEqual([CODE.protocolError]);
  });
});

describe('what brings the client nothing ends the connection when it is too much', () => {
  it.each([
    ['pings', frame(FRAME.ping, 0, Buffer.alloc(8))],
    ['settings', frame(FRAME.settings, 0)],
    ['priorities', frame(FRAME.priority, 1, Buffer.concat([number32(3), Buffer.from([1])]))],
    ['frames of unknown types', frame(99, 0)],
    ['empty data', data(1, '')],
    ['heads that tell of the answer', answer(1, false, [[':status', '102']])],
    ['windows', frame(FRAME.windowUpdate, 1, number32(1))],
    ['resets of what is over', frame(FRAME.rstStream, 1, number32(8))],
    ['leaving again and again', frame(FRAME.goAway, 0, Buffer.concat([number32(99), number32(0)]))],
  ])('%s', async (what, bytes) => {
    const given = await new GivenServer().ready();
    await given.asked();
    if (what === 'empty data') given.send(answer(1));
    const many = Buffer.concat(Array.from({ length: 1_000 }, () => bytes));
    for (let sent = 0; sent < 12 && !given.wire.destroyed; sent += 1) {
      given.send(many);
      await new Promise(setImmediate);
    }
    await until(() => given.isEnded || given.wire.destroyed);
    expect(given.gone).toBeDefined();
  });

  it('a head without an end', async () => {
    const given = await new GivenServer().ready();
    const asked = await given.asked();
    given.send(open(1));
    for (let sent = 0; sent < 40; sent += 1)
      given.send(frame(FRAME.continuation, 1, Buffer.alloc(1)));
    expect(await given.ended()).toBe(CODE.enhanceYourCalm);
    expect(asked.stream.error).toBeDefined();
  });

  it('pings while it reads none of the answers', async () => {
    const given = await new GivenServer().ready();
    given.wire.pause();
    const many = Buffer.concat(
      Array.from({ length: 4_000 }, () => frame(FRAME.ping, 0, Buffer.alloc(8))),
    );
    for (let sent = 0; sent < 3 && given.gone === undefined; sent += 1) {
      given.send(many);
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    }
    await until(() => given.gone !== undefined);
    expect(given.gone?.message).toMatch(/reads nothing|ENHANCE_YOUR_CALM/);
  });
});
