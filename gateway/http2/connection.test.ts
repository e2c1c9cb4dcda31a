/** What clients send that keep to the protocol, and what those get that do not. */
import { describe, expect, it } from 'vitest';
import { until } from '../../tools/until.fixture.ts';
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

function answered(): GivenConnection {
  return new GivenConnection(({ stream }) => {
    stream.head(200, { 'Content-Type': 'text/plain' });
    stream.end(Buffer.from('ok'));
  });
}

describe('a request', () => {
  it('is answered with a head and a body, and the date', async () => {
    const given = answered();
    given.send(get(1), get(3));
    await given.settled();
    const { fields, body, isEnded } = given.answer(3);
    expect({ body, isEnded }).toEqual({ body: 'ok', isEnded: true });
    expect(fields.slice(0, 5)).toEqual([':status', '200', 'content-type', 'text/plain', 'date']);
    expect(given.resets()).toEqual([]);
  });

  it('is read whichever way its bytes are cut', async () => {
    const given = answered();
    for (const byte of Buffer.concat([get(1), post(3), data(3, 'a body', true)])) {
      given.wire.write(Buffer.from([byte]));
    }
    await given.settled();
    expect(given.requests).toHaveLength(2);
    expect(await given.requests[1]?.stream.readBody(10)).toEqual({
      kind: 'brokenOff', // It is answered already, and the body was not read before.
    });
  });

  it('has its body read whole, and as a stream', async () => {
    const given = new GivenConnection();
    given.send(post(1), data(1, 'first '), post(3));
    await given.settled();
    const read = given.requests[0]?.stream.readBody(100);
    const chunks: Buffer[] = [];
    const body = given.requests[1]?.stream.body;
    body?.on('data', (chunk: Buffer) => chunks.push(chunk));
    given.send(data(1, 'second', true), data(3, 'x'.repeat(5_000)), data(3, '', true));
    expect(await read).toEqual({ kind: 'whole', bytes: Buffer.from('first second') });
    await until(() => body?.readableEnded === true);
    expect(Buffer.concat(chunks).toString()).toBe('x'.repeat(5_000));
  });

  it('whose body is longer than is taken is told so, and the rest is read on', async () => {
    const given = new GivenConnection();
    given.send(post(1));
    await given.settled();
    const read = given.requests[0]?.stream.readBody(10);
    for (let at = 0; at < 40; at += 1) given.send(data(1, Buffer.alloc(16_000)));
    expect(await read).toEqual({ kind: 'tooLarge' });
    await given.settled();
    expect(given.of(FRAME.windowUpdate, 1).length).toBeGreaterThan(1);
    expect(given.isEnded).toBe(false);
  });

  it('that waits to be told to send its body is told so once it is read', async () => {
    const given = new GivenConnection();
    given.send(post(1, [['expect', '100-continue']]));
    await given.settled();
    expect(given.answer(1).fields).toEqual([]);
    const read = given.requests[0]?.stream.readBody(10);
    await until(() => given.answer(1).fields.length > 0);
    expect(given.answer(1)).toEqual({ fields: [':status', '100'], body: '', isEnded: false });
    given.send(data(1, 'now', true));
    expect(await read).toMatchObject({ kind: 'whole' });
  });

  it('may have trailers, which are no headers', async () => {
    const given = new GivenConnection();
    const trailers = block([['impersonate-user', 'jane']]);
    given.send(post(1), data(1, 'body'));
    given.send(frame(FRAME.headers, 1, trailers, FLAG.endHeaders | FLAG.endStream));
    await given.settled();
    expect(await given.requests[0]?.stream.readBody(10)).toMatchObject({ kind: 'whole' });
    expect(given.requests[0]?.head?.headers['impersonate-user']).toBeUndefined();
  });

  it('with HEAD, and one answered 304, get no body', async () => {
    const given = new GivenConnection(({ stream }) => {
      stream.head(stream.method === 'HEAD' ? 200 : 304, {});
      expect(stream.write(Buffer.alloc(100_000))).toBe(true);
      stream.end(Buffer.from('ok'));
    });
    const head = [[':method', 'HEAD'] as const, ...GET.slice(1)];
    given.send(frame(FRAME.headers, 1, block(head), FLAG.endHeaders | FLAG.endStream), get(3));
    await given.settled();
    for (const id of [1, 3]) expect(given.answer(id)).toMatchObject({ body: '', isEnded: true });
    expect(Buffer.concat(given.of(FRAME.data).map(({ payload }) => payload))).toHaveLength(0);
  });

  it('keeps the blanks around a value, as Go does, and the first value of a name', async () => {
    const given = answered();
    const fields = [
      ['impersonate-user', 'kim '] as const,
      ['a', ' x'] as const,
      ['a', 'y'] as const,
    ];
    given.send(
      frame(FRAME.headers, 1, block([...GET, ...fields]), FLAG.endHeaders | FLAG.endStream),
    );
    await given.settled();
    const { headers = {}, rawHeaders } = given.requests[0]?.head ?? {};
    expect([headers['impersonate-user'], headers['a']]).toEqual(['kim ', ' x']);
    expect(rawHeaders?.slice(6)).toEqual(fields.flat());
  });

  it('whose client still sends when it is answered is told to stop, by a write behind the answer', async () => {
    const given = answered();
    const resetsAtEnd: number[] = [];
    given.wire.on('data', () => {
      if (given.answer(1).isEnded) resetsAtEnd.push(given.resets(1).length);
    });
    given.send(post(1), data(1, 'more'));
    await given.settled();
    await given.settled();
    expect(resetsAtEnd.slice(0, 2)).toEqual([0, 1]);
    expect(given.resets(1)).toEqual([CODE.noError]);
    // What was on the way is no fault.
    given.send(data(1, 'late'), frame(FRAME.windowUpdate, 1, number32(1)), data(1, '', true));
    await given.settled();
    expect(given.isEnded).toBe(false);
    expect(given.resets(1)).toHaveLength(1);
  });

  it.each([
    ['no path', GET.slice(0, 2)],
    ['an empty path', [...GET.slice(0, 2), [':path', '']]],
    ['a path without a slash', [...GET.slice(0, 2), [':path', 'x']]],
    ['a pseudo-header twice', [...GET, [':path', '/']]],
    ['an unknown pseudo-header', [...GET, [':protocol', 'websocket']]],
    ['a pseudo-header behind others', [['a', 'b'], ...GET]],
    ['a capital letter', [...GET, ['Accept', 'x']]],
    ['a blank in a name', [...GET, ['a b', 'x']]],
    ['a control character', [...GET, ['a', 'x\ny']]],
    ['a header of the connection', [...GET, ['connection', 'close']]],
    ['transfer-encoding', [...GET, ['transfer-encoding', 'chunked']]],
    ['te', [...GET, ['te', 'gzip']]],
    ['two lengths', [...GET, ['content-length', '0'], ['content-length', '1']]],
    ['a length that is none', [...GET, ['content-length', '-1']]],
    ['a length and no body', [...GET, ['content-length', '1']]],
  ] as [string, [string, string][]][])('with %s is reset', async (_what, fields) => {
    const given = answered();
    given.send(frame(FRAME.headers, 1, block(fields), FLAG.endHeaders | FLAG.endStream), get(3));
    await given.settled();
    expect(given.resets()).toEqual([CODE.protocolError]);
    expect(given.requests).toHaveLength(1);
    expect(given.answer(3).body).toBe('ok');
  });

  it.each([
    ['longer', '3', ['four']],
    ['shorter', '10', ['four']],
  ])('whose body is %s than it says is reset, and not read whole', async (_how, length, parts) => {
    const given = new GivenConnection();
    given.send(post(1, [['content-length', length]]));
    await given.settled();
    const read = given.requests[0]?.stream.readBody(100);
    given.send(...parts.map((part) => data(1, part)), data(1, '', true));
    expect(await read).toEqual({ kind: 'brokenOff' });
    expect(given.resets(1)[0]).toBe(CODE.protocolError);
  });

  it('whose head is larger than is read is handed on as such', async () => {
    const given = new GivenConnection();
    const long = Array.from(
      { length: 200 },
      (_, at) => [`x-${String(at)}`, 'a'.repeat(100)] as const,
    );
    const bytes = block([...GET, ...long]);
    const cut = 16_000;
    given.send(
      frame(FRAME.headers, 1, bytes.subarray(0, cut), FLAG.endStream),
      frame(FRAME.continuation, 1, bytes.subarray(cut), FLAG.endHeaders),
    );
    await given.settled();
    expect(given.requests.map(({ head }) => head)).toEqual([undefined]);
  });
});

describe('the end', () => {
  it('of a connection lets what is open be answered, and takes what was on the way', async () => {
    const given = new GivenConnection();
    given.send(get(1));
    await given.settled();
    given.connection.close();
    await until(() => given.of(FRAME.goAway).length === 1);
    expect(given.of(FRAME.goAway)[0]?.payload.readUInt32BE()).toBe(2 ** 31 - 1);
    given.send(get(3));
    const ping = given.of(FRAME.ping).at(-1);
    given.send(frame(FRAME.ping, 0, ping?.payload, FLAG.ack));
    await until(() => given.of(FRAME.goAway).length === 2);
    expect(given.of(FRAME.goAway)[1]?.payload.readUInt32BE()).toBe(3);
    given.send(get(5));
    for (const { stream } of given.requests) stream.end(Buffer.from('done'));
    expect(await given.ended()).toBe(CODE.noError);
    expect(given.requests).toHaveLength(2);
    expect([given.answer(1).body, given.answer(3).body]).toEqual(['done', 'done']);
  });

  it('of a connection whose client is told by an answer to go takes no request behind it', async () => {
    const given = new GivenConnection(({ stream }) => {
      stream.head(401, { Connection: 'close' });
      stream.write(Buffer.from('unknown'));
    });
    given.send(get(1));
    await given.settled();
    expect(given.of(FRAME.goAway)[0]?.payload.readUInt32BE()).toBe(1);
    // All these were on the way: they are passed over, and break nothing.
    const cancel = frame(FRAME.rstStream, 3, number32(CODE.cancel));
    given.send(post(3), data(3, 'x'), frame(FRAME.windowUpdate, 3, number32(1)), cancel);
    await given.settled();
    given.requests[0]?.stream.end();
    expect(await given.ended()).toBe(CODE.noError);
    expect(given.requests).toHaveLength(1);
    expect(given.answer(1)).toMatchObject({ body: 'unknown', isEnded: true });
  });

  it('of a connection whose client does not answer comes all the same', async () => {
    const given = new GivenConnection();
    await given.settled();
    given.connection.close();
    await given.settled();
    expect(given.isEnded).toBe(false);
    given.clock.advance(1_000);
    expect(await given.ended()).toBe(CODE.noError);
  });

  it('of a stream is told once, in a turn of its own', async () => {
    const told: string[] = [];
    const given = new GivenConnection(({ stream }) => {
      stream.onClose(() => told.push(`${String(stream.id)} closed`));
    });
    given.send(get(1), get(3), get(5));
    await given.settled();
    const [one, three] = given.requests.map(({ stream }) => stream);
    one?.end(Buffer.from('x'));
    three?.abort();
    expect(told).toEqual([]);
    given.send(frame(FRAME.rstStream, 5, number32(CODE.cancel)));
    await given.settled();
    expect(told.sort()).toEqual(['1 closed', '3 closed', '5 closed']);
    expect(given.resets()).toEqual([CODE.internalError]);
    expect(three?.write(Buffer.from('late'))).toBe(true);
    one?.end();
  });

  it('of an answer that is cut off in the turn that it begins in comes behind its head', async () => {
    const given = new GivenConnection(({ stream }) => {
      stream.head(504, {});
      stream.end(Buffer.from('too late'));
      stream.abort();
    });
    given.send(get(1), get(3));
    await given.settled();
    expect([given.answer(1).fields[1], given.answer(3).fields[1]]).toEqual(['504', '504']);
    expect(given.resets()).toEqual([CODE.internalError, CODE.internalError]);
    expect([given.answer(1).isEnded, given.answer(3).body]).toEqual([false, '']);
  });

  it('of the socket closes what is open', async () => {
    let closed = 0;
    const given = new GivenConnection(({ stream }) => {
      stream.onClose(() => (closed += 1));
    });
    given.send(get(1), post(3));
    await given.settled();
    const read = given.requests[1]?.stream.readBody(10);
    given.wire.end();
    given.wire.destroy();
    expect(await read).toEqual({ kind: 'brokenOff' });
    await until(() => closed === 2);
    expect(given.connection.openStreams).toBe(0);
  });
});

describe('what a client may do', () => {
  it(`is ${String(STREAMS_MAX)} requests at a time; more are refused`, async () => {
    const given = new GivenConnection();
    for (let at = 0; at < STREAMS_MAX + 2; at += 1) given.send(get(2 * at + 1));
    await given.settled();
    expect(given.resets()).toEqual([CODE.refusedStream, CODE.refusedStream]);
    expect(given.requests).toHaveLength(STREAMS_MAX);
    given.requests[0]?.stream.end();
    await given.settled();
    given.send(get(101));
    await given.settled();
    expect(given.requests).toHaveLength(STREAMS_MAX + 1);
  });
});
