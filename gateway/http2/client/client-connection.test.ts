/** Requests over a connection of our own HTTP/2, whose server says what the protocol allows. */
import { describe, expect, it } from 'vitest';
import { until } from '../../../tools/until.fixture.ts';
import { CODE, FLAG, FRAME } from '../frames.ts';
import { block, data, frame, number32 } from '../given-connection.fixture.ts';
import { answer, GivenServer, WINDOW_BYTES } from './given-server.fixture.ts';

const setting = (id: number, value: number): Buffer =>
  frame(FRAME.settings, 0, Buffer.concat([Buffer.from([0, id]), number32(value)]));
const goAway = (last: number, code: number): Buffer =>
  frame(FRAME.goAway, 0, Buffer.concat([number32(last), number32(code)]));
const window = (stream: number, bytes: number): Buffer =>
  frame(FRAME.windowUpdate, stream, number32(bytes));

describe('a request', () => {
  it('says its line and its headers, and the same ones again in a byte each', async () => {
    const given = await new GivenServer().ready();
    const headers = [
      ...['X-Remote-User', 'jane', 'X-Remote-Group', 'a', 'X-Remote-Group', 'b'],
      ...['Connection', 'close', ':path', '/stolen', 'Audit-Id', '1'],
    ];
    const first = await given.asked(headers);
    expect(given.fields(1)).toEqual([
      ...[':method', 'GET', ':scheme', 'https', ':authority', 'far:443', ':path', '/x?y'],
      ...['x-remote-user', 'jane', 'x-remote-group', 'a', 'x-remote-group', 'b', 'audit-id', '1'],
    ]);
    const second = await given.asked(headers);
    expect(given.fields(3)).toEqual(given.fields(1));
    const sizes = given.of(FRAME.headers).map(({ payload }) => payload.length);
    expect(sizes[1]).toBeLessThan(30);
    expect(given.of(FRAME.headers, 1)[0]?.flags).toBe(FLAG.endHeaders | FLAG.endStream);
    given.send(answer(3), data(3, 'three', true), answer(1), data(1, 'one', true));
    await until(() => first.isOver && second.isOver);
    expect([first.text(), second.text(), second.stream.code]).toEqual(['one', 'three', 200]);
    expect(given.connection.size).toBe(0);
  });

  it('leaves no cookie in the table, where another request of the connection could meet it', async () => {
    const given = await new GivenServer().ready();
    await given.asked(['Cookie', 'secret']);
    await given.asked(['Cookie', 'secret']);
    const blocks = given.of(FRAME.headers).map(({ payload }) => payload.includes('secret'));
    expect(blocks).toEqual([true, true]);
  });

  it('has an answer in pieces, with heads before it and trailers behind it', async () => {
    const given = await new GivenServer().ready();
    const asked = await given.asked();
    given.send(answer(1, false, [[':status', '103']]), answer(1, false, [[':status', '100']]));
    await given.settled();
    expect(asked.isHead).toBe(false);
    given.send(answer(1), data(1, 'a'));
    await until(() => asked.isHead);
    expect(asked.text()).toBe('a');
    given.send(data(1, 'b'), frame(FRAME.headers, 1, block([['grpc-status', '0']]), 5));
    await until(() => asked.isOver);
    expect([asked.text(), asked.stream.isReceived]).toEqual(['b', true]);
    expect(asked.stream.trailers).toEqual(['grpc-status', '0']);
  });

  it('has a short answer told when it is whole, or a moment after its head', async () => {
    const given = await new GivenServer().ready();
    const [whole, late] = [await given.asked(), await given.asked()];
    const fields = [
      [':status', '200'],
      ['content-length', '2'],
    ] as const;
    given.send(answer(1, false, fields), answer(3, false, fields), data(3, 'b'));
    await given.settled();
    expect([whole.isHead, late.isHead]).toEqual([false, false]);
    given.send(data(1, 'aa', true));
    await until(() => whole.isHead);
    expect([whole.text(), late.isHead]).toEqual(['aa', false]);
    given.clock.advance(5);
    expect(late.isHead).toBe(false);
    given.clock.advance(5);
    expect([late.isHead, late.text()]).toEqual([true, 'b']);
    given.send(data(3, 'b', true));
    await until(() => late.isOver);
    expect(late.text()).toBe('b');
  });

  it('has a short answer waited for a moment, whenever the one before it came', async () => {
    const given = await new GivenServer().ready();
    const [first, second] = [await given.asked(), await given.asked()];
    const fields = [
      [':status', '200'],
      ['content-length', '2'],
    ] as const;
    given.send(answer(1, false, fields));
    await given.settled();
    given.clock.advance(4);
    given.send(answer(3, false, fields));
    await given.settled();
    given.clock.advance(1);
    expect(second.isHead).toBe(false);
    given.send(data(3, 'bb', true));
    await until(() => second.isHead);
    expect(second.text()).toBe('bb');
    given.clock.advance(5);
    expect(first.isHead).toBe(true);
  });

  it('sends its body as far as the windows of the server let it', async () => {
    const given = await new GivenServer(setting(4, 10)).ready();
    const asked = await given.asked(['content-length', '20'], { method: 'POST', hasBody: true });
    let drained = 0;
    asked.stream.onDrain(() => {
      drained += 1;
    });
    expect(asked.stream.write(Buffer.alloc(20_000, 'x'))).toBe(false);
    asked.stream.end();
    await given.settled();
    expect(given.body(1)).toHaveLength(10);
    given.send(window(1, 5));
    await given.settled();
    expect(given.body(1)).toHaveLength(15);
    given.send(window(1, 100_000), answer(1, true));
    await until(() => asked.isOver);
    expect(given.body(1)).toHaveLength(20_000);
    expect(given.of(FRAME.data, 1).at(-1)?.flags).toBe(FLAG.endStream);
    expect(drained).toBe(0);
  });

  it('may be answered before its body has gone, and is sent no further where the server says so', async () => {
    const given = await new GivenServer(setting(4, 10)).ready();
    const asked = await given.asked([], { method: 'POST', hasBody: true });
    asked.stream.write(Buffer.alloc(100));
    given.send(answer(1), data(1, 'no', true));
    await until(() => asked.stream.isReceived);
    expect(asked.isOver).toBe(false);
    given.send(frame(FRAME.rstStream, 1, number32(CODE.noError)));
    await until(() => asked.isOver);
    expect([asked.text(), asked.stream.error]).toEqual(['no', undefined]);
  });

  it('that is taken back before it was sent is never heard of', async () => {
    const given = await new GivenServer().ready();
    const asked = given.ask();
    asked.stream.cancel('gone');
    await given.settled();
    expect(given.of(FRAME.headers)).toEqual([]);
    expect(given.resets()).toEqual([]);
    const next = await given.asked();
    expect(next.stream.id).toBe(3);
  });

  it('that is taken back later is reset, and what was on its way is passed over', async () => {
    const given = await new GivenServer().ready();
    const asked = await given.asked();
    asked.stream.cancel('gone');
    expect(asked.stream.error?.message).toBe('gone');
    given.send(answer(1), data(1, 'late'), data(1, '', true));
    await given.settled();
    expect(given.resets(1)).toEqual([CODE.cancel]);
    expect(given.isEnded).toBe(false);
  });
});

describe('an answer that is not read', () => {
  it('is let come as far as its own window, and others go on', async () => {
    const given = await new GivenServer().ready();
    const [slow, quick] = [await given.asked(), await given.asked()];
    given.send(answer(1), answer(3));
    const chunk = Buffer.alloc(16_384);
    for (let count = 0; count < WINDOW_BYTES / chunk.length; count += 1) given.send(data(1, chunk));
    for (let sent = 0; sent < 8; sent += 1) {
      for (let count = 0; count < 4; count += 1) given.send(data(3, chunk));
      await given.settled();
      quick.stream.read();
    }
    expect(given.of(FRAME.windowUpdate, 1)).toEqual([]);
    expect(given.of(FRAME.windowUpdate, 3).length).toBeGreaterThan(3);
    slow.stream.read();
    await given.settled();
    expect(given.of(FRAME.windowUpdate, 1)).toHaveLength(1);
    expect(given.isEnded).toBe(false);
  });
});

describe('a connection', () => {
  it('that the server leaves is used no more, answers what it began, and says what it has not seen', async () => {
    const given = await new GivenServer().ready();
    const [first, second] = [await given.asked(), await given.asked()];
    given.send(goAway(1, CODE.noError));
    await until(() => second.isOver);
    expect([second.stream.error?.fate, given.gone?.message]).toEqual([
      'unseen',
      'http2: server sent GOAWAY: NO_ERROR',
    ]);
    expect(() => given.ask()).toThrow('not usable');
    given.send(answer(1), data(1, 'x', true));
    expect(await given.ended()).toBe(CODE.noError);
    expect([first.text(), first.stream.error]).toEqual(['x', undefined]);
  });

  it('that ends says of each request what the server may have seen of it', async () => {
    const given = await new GivenServer().ready();
    const [asked, answered] = [await given.asked(), await given.asked()];
    given.send(answer(3), data(3, 'half'));
    await until(() => answered.told > 0);
    const unsent = given.ask();
    given.wire.end();
    await until(() => asked.isOver && answered.isOver && unsent.isOver);
    expect(asked.stream.error).toMatchObject({ message: 'EOF', fate: 'unknown' });
    expect(unsent.stream.error).toMatchObject({ message: 'EOF', fate: 'unseen' });
    expect(answered.stream.error).toMatchObject({ message: 'unexpected EOF' });
    expect(given.gone?.message).toBe('EOF');
  });

  it('tells what the server refused, and what it reset', async () => {
    const given = await new GivenServer().ready();
    const [refused, reset] = [await given.asked(), await given.asked()];
    given.send(frame(FRAME.rstStream, 1, number32(CODE.refusedStream)));
    given.send(frame(FRAME.rstStream, 3, number32(CODE.enhanceYourCalm)));
    await until(() => refused.isOver && reset.isOver);
    expect(refused.stream.error?.fate).toBe('unseen');
    expect(reset.stream.error).toMatchObject({
      message: 'stream error: stream ID 3; ENHANCE_YOUR_CALM; received from peer',
      fate: 'told',
    });
  });

  it('keeps to the number of requests that the server takes', async () => {
    const given = await new GivenServer(setting(3, 7)).ready();
    expect(given.connection.streamsMax).toBe(7);
    given.send(setting(3, 0));
    await given.settled();
    expect(given.connection.streamsMax).toBe(1);
  });

  it('whose server is gone without a word ends after a ping, and one that answers goes on', async () => {
    const given = await new GivenServer().ready();
    const asked = await given.asked();
    given.clock.advance(30_000);
    await until(() => given.of(FRAME.ping).length === 1);
    given.send(frame(FRAME.ping, 0, given.of(FRAME.ping)[0]?.payload ?? Buffer.alloc(8), FLAG.ack));
    await given.settled();
    given.clock.advance(29_000);
    expect(asked.isOver).toBe(false);
    given.clock.advance(1_000);
    given.clock.advance(15_000);
    expect(asked.stream.error?.message).toBe('http2: client connection lost');
  });

  it('is left when it was not used for 90 seconds', async () => {
    const given = await new GivenServer().ready();
    for (let pings = 1; pings <= 2; pings += 1) {
      given.clock.advance(30_000);
      await until(() => given.of(FRAME.ping).length === pings);
      given.send(frame(FRAME.ping, 0, Buffer.alloc(8), FLAG.ack));
      await given.settled();
    }
    given.clock.advance(30_000);
    expect(await given.ended()).toBe(CODE.noError);
  });

  it('whose server says nothing at all is given up', () => {
    const given = new GivenServer(Buffer.alloc(0));
    given.clock.advance(30_000);
    expect(given.gone?.message).toBe('http2: timeout awaiting the settings of the server');
  });

  it('that is retired ends when it is answered', async () => {
    const given = await new GivenServer().ready();
    const asked = await given.asked();
    given.connection.close();
    await given.settled();
    expect(given.isEnded).toBe(false);
    given.send(answer(1, true));
    expect(await given.ended()).toBe(CODE.noError);
    expect(asked.stream.isReceived).toBe(true);
  });
});
