/**
 * The law: a request reaches the filters with every header line that was sent, or it is refused.
 * Nothing in between, on any protocol, whatever the header and wherever it stands.
 */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';

import { headerValues } from '../../actors/request/header-values.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';
import type { Listener } from './listener.ts';
import { authority, closeAll, closers, HOST, listening, text } from './given-listener.fixture.ts';
import { FIELD_BYTES_MAX, HEAD_LINES_MAX } from './request-head.ts';

afterEach(closeAll);

type Lines = readonly (readonly [string, string])[];

const NAMES = ['Impersonate-User', 'X-Remote-Group', 'Authorization', 'Accept', 'X-Any'];
/** Around node's own limits (128 on HTTP/2, 1,000 on HTTP/1.1) and ours. */
const COUNTS = [0, 126, 130, 990, 1_000, 2_500, HEAD_LINES_MAX - 8, HEAD_LINES_MAX, 9_000];

async function overHttp1({ port }: Listener, lines: Lines, upgrade = false): Promise<number> {
  const socket = connect({ host: HOST, port, ca: authority.certificate });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  const own = upgrade ? ['Connection: Upgrade', 'Upgrade: websocket'] : ['Connection: close'];
  const sent = lines.map(([name, value]) => `${name}: ${value}`);
  socket.write(['GET / HTTP/1.1', 'Host: a', ...own, ...sent, '', ''].join('\r\n'));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A client that is refused while it is still sending may be told by a reset behind the answer.
  await new Promise((resolve) => socket.once('close', resolve));
  return Number(/^HTTP\/1\.1 (\d+) /.exec(Buffer.concat(chunks).toString())?.[1] ?? 0);
}

/** 0: the stream or the connection was closed instead. */
async function overHttp2(listener: Listener, lines: Lines): Promise<number> {
  const session = connectHttp2(`https://${HOST}:${String(listener.port)}`, {
    ca: authority.certificate,
    maxSendHeaderBlockLength: 2 ** 22,
  });
  session.on('error', () => undefined);
  closers.push(() => session.destroy());
  await once(session, 'remoteSettings');
  const headers: Record<string, string[]> = {};
  for (const [name, value] of lines) (headers[name] ??= []).push(value);
  const stream = session.request(headers);
  stream.resume();
  return await new Promise((resolve) => {
    stream.once('error', () => resolve(0));
    stream.once('response', (answered) => resolve(Number(answered[':status'])));
  });
}

const protocols = [
  ['HTTP/1.1', (listener: Listener, lines: Lines) => overHttp1(listener, lines)],
  ['HTTP/2', overHttp2],
] as const;

function filler(count: number): Lines {
  return Array.from({ length: count }, (_, index) => [`x-${String(index % 700)}`, 'a'] as const);
}

function valuesIn(request: ReceivedRequest | undefined, name: string): readonly string[] {
  return request === undefined ? [] : headerValues(request, name.toLowerCase());
}

describe.each(protocols)('over %s', (_protocol, ask) => {
  it.each(NAMES)('%s behind any number of lines is read, or the request refused', async (name) => {
    const { listener, requests } = await listening((request) => request.reply(text('ok')));
    for (const count of COUNTS) {
      const code = await ask(listener, [...filler(count), [name, 'nobody']]);
      const request = requests.splice(0)[0];
      const isRead = request !== undefined;
      expect({ count, code, values: valuesIn(request, name) }).toEqual({
        count,
        code: isRead ? 200 : 431,
        values: isRead ? ['nobody'] : [],
      });
      expect(isRead).toBe(count < HEAD_LINES_MAX - 4);
    }
  });

  it('a field is read as long as it is allowed to be', async () => {
    const { listener, requests } = await listening((request) => request.reply(text('ok')));
    const value = 'a'.repeat(FIELD_BYTES_MAX - 100);
    expect(await ask(listener, [['x-long', value]])).toBe(200);
    expect(valuesIn(requests[0], 'x-long')).toEqual([value]);
  });

  it('of several values of a name the first one is read', async () => {
    const { listener, requests } = await listening((request) => request.reply(text('ok')));
    const values = ['application/yaml', 'application/json'];
    for (const name of ['accept', 'x-forwarded-for', 'origin', 'traceparent']) {
      expect(
        await ask(
          listener,
          values.map((value) => [name, value] as const),
        ),
      ).toBe(200);
      const [request] = requests.splice(0);
      expect([name, request?.headers[name]]).toEqual([name, values[0]]);
      expect(valuesIn(request, name)).toEqual(values);
      if (name === 'accept') expect(request?.accepted?.type).toBe('yaml');
    }
  });
});

describe('over HTTP/1.1', () => {
  it('a field longer than allowed, and a head longer than allowed, are 431', async () => {
    const { listener, requests } = await listening((request) => request.reply(text('ok')));
    expect(await overHttp1(listener, [['x-long', 'a'.repeat(FIELD_BYTES_MAX + 1)]])).toBe(431);
    const long = Array.from({ length: 20 }, () => ['x-part', 'a'.repeat(60_000)] as const);
    // The client may still be writing when the connection is closed, and then misses the answer.
    expect([0, 431]).toContain(await overHttp1(listener, long));
    expect(requests).toEqual([]);
    expect(await overHttp1(listener, long.slice(5))).toBe(200);
  });

  it('several hosts are 400', async () => {
    const { listener, requests } = await listening((request) => request.reply(text('ok')));
    expect(await overHttp1(listener, [['host', 'b']])).toBe(400);
    expect(requests).toEqual([]);
  });

  it('an upgrade is refused like any other request', async () => {
    const { listener, upgrades } = await listening((request) => request.reply(text('ok')));
    expect(await overHttp1(listener, filler(1_000), true)).toBe(400); // The fixture's own answer.
    expect(upgrades.splice(0)).toEqual(['/']);
    expect(await overHttp1(listener, filler(HEAD_LINES_MAX), true)).toBe(431);
    expect(upgrades).toEqual([]);
  });

  it('trailers are no headers', async () => {
    const { listener, requests } = await listening(
      (request) =>
        void Promise.resolve(request.readBody(100)).then(() => {
          request.reply(text('ok'));
        }),
    );
    const socket = connect({ host: HOST, port: listener.port, ca: authority.certificate });
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close';
    socket.write(`${head}\r\n\r\n1\r\na\r\n0\r\nImpersonate-User: jane\r\n\r\n`);
    await once(socket.resume(), 'close');
    expect(requests).toHaveLength(1);
    expect(valuesIn(requests[0], 'impersonate-user')).toEqual([]);
  });
});

describe('over HTTP/2', () => {
  it('a head of more bytes than allowed is 431, however few it is on the wire', async () => {
    const { listener, requests } = await listening((request) => request.reply(text('ok')));
    // Indexed by the client's compression, so each costs a byte or two.
    const lines = Array.from({ length: 600 }, () => ['x-same', 'a'.repeat(2_000)] as const);
    expect(await overHttp2(listener, lines)).toBe(431);
    expect(requests).toEqual([]);
    expect(await overHttp2(listener, lines.slice(100))).toBe(200);
  });
});
