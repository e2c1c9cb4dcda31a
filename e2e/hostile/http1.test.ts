/**
 * HTTP/1.1, WebSocket and TLS clients that send what no library would: lies about lengths, pipelines
 * that break, handshakes that never end, frames that are none.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';

import { configMap } from '../api/objects.ts';
import { eventually } from '../support/eventually.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { Bystander } from './harm.ts';
import { conversation, CRLF, flood, requestText, tlsTo, untilClosed } from './wire.ts';

const server = serverForThisFile();
const MAPS = '/api/v1/namespaces/default/configmaps';
const JSON_BODY = 'Content-Type: application/json';
const BAD_REQUEST = /^HTTP\/1\.1 400 Bad Request\r\n/;

describe('a request that is none', () => {
  const post = `POST ${MAPS}`;
  it.each([
    ['a line of garbage', `\u0000\u0001 foo${CRLF}${CRLF}`],
    ['an unknown version', `GET /version HTTP/3.7${CRLF}Host: a${CRLF}${CRLF}`],
    ['an unknown method', `FOO /version HTTP/1.1${CRLF}Host: a${CRLF}${CRLF}`],
    ['no host', `GET /version HTTP/1.1${CRLF}${CRLF}`],
    ['two lengths', requestText(post, ['Content-Length: 5', 'Content-Length: 6'], 'hello')],
    [
      'a length and chunks',
      requestText(post, ['Content-Length: 5', 'Transfer-Encoding: chunked'], `0${CRLF}${CRLF}`),
    ],
    ['a negative length', requestText(post, ['Content-Length: -5'], 'hello')],
    ['a length beyond all numbers', requestText(post, [`Content-Length: ${'9'.repeat(20)}`])],
    ['a chunk without length', requestText(post, ['Transfer-Encoding: chunked'], `zz${CRLF}a`)],
  ])('with %s is 400', async (_name, text) => {
    const bystander = new Bystander(server());
    expect(await conversation(server(), text)).toMatch(BAD_REQUEST);
    await bystander.isUnharmed();
  });

  it('with headers without end is not read to their end', async () => {
    const bystander = new Bystander(server());
    const headers = Array.from(
      { length: 30_000 },
      (_, index) => `X-${String(index)}: ${'a'.repeat(50)}`,
    );
    expect(await conversation(server(), requestText('GET /version', headers))).not.toContain(
      ' 200 ',
    );
    await bystander.isUnharmed();
  });

  it('with an unknown expectation is 417', async () => {
    const headers = ['Expect: 200-miracle', 'Content-Length: 2'];
    const answer = await conversation(server(), requestText(post, headers, '{}'));
    expect(answer).toMatch(/^HTTP\/1\.1 417 /);
  });

  it('is told to go on where it asks, and answered then', async () => {
    const body = JSON.stringify(configMap('expected'));
    const headers = [JSON_BODY, 'Expect: 100-continue', `Content-Length: ${String(body.length)}`];
    const answer = await conversation(server(), requestText(post, headers, body));
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created/);
  });
});

describe('a body that breaks off', () => {
  const half = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"half"}}';
  it.each([
    ['before its length', [`Content-Length: ${String(half.length + 1)}`], half],
    [
      'within its chunks',
      ['Transfer-Encoding: chunked'],
      `${half.length.toString(16)}${CRLF}${half}${CRLF}`,
    ],
  ])('%s is not written', async (_name, headers, body) => {
    const bystander = new Bystander(server());
    const socket = await tlsTo(server(), 'http/1.1');
    socket.write(requestText(`POST ${MAPS}`, [JSON_BODY, ...headers], body));
    const started = async () => (await bystander.client.get('/readyz')).status === 200 || undefined;
    await eventually('that the server had time to read', started);
    socket.destroy();
    await bystander.isUnharmed();
    expect((await bystander.client.get(`${MAPS}/half`)).status).toBe(404);
  });
});

describe('watches', () => {
  const watch = `GET ${MAPS}?watch=true HTTP/1.1${CRLF}Host: a${CRLF}${CRLF}`;

  it('that wait behind each other on a connection end with it', async () => {
    const bystander = new Bystander(server());
    const socket = await tlsTo(server(), 'http/1.1');
    socket.write(watch.repeat(20));
    await eventually('20 open watches', async () => {
      return (await bystander.figure('everwatch_open_watches')) === 20 || undefined;
    });
    socket.destroy();
    await bystander.untilNoWatches();
    await bystander.isUnharmed();
  });

  it('of 200 clients that vanish leave nothing behind', async () => {
    const bystander = new Bystander(server());
    const sockets = await Promise.all(
      Array.from({ length: 200 }, () => tlsTo(server(), 'http/1.1')),
    );
    for (const socket of sockets) socket.write(watch);
    await eventually('200 open watches', async () => {
      return (await bystander.figure('everwatch_open_watches')) === 200 || undefined;
    });
    for (const socket of sockets) socket.destroy();
    await bystander.untilNoWatches();
    await bystander.isUnharmed();
  });
});

describe('a connection that is no TLS', () => {
  function tcp(): Socket {
    const { hostname, port } = new URL(server().url);
    const socket = connectTcp(Number(port), hostname);
    socket.on('error', () => undefined);
    return socket.resume();
  }

  it.each([
    ['plain HTTP', Buffer.from(requestText('GET /version'))],
    ['garbage', randomBytes(100_000)],
  ])('but %s is closed', async (_name, bytes) => {
    const bystander = new Bystander(server());
    const socket = tcp();
    const closed = untilClosed(socket);
    socket.write(bytes);
    await closed;
    await bystander.isUnharmed();
  });

  it('but half a handshake, 200 times, harms no other client', async () => {
    const bystander = new Bystander(server());
    const sockets = Array.from({ length: 200 }, tcp);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write(Buffer.from('16030100c8', 'hex'));
    await bystander.isUnharmed();
    for (const socket of sockets) socket.resetAndDestroy();
    await bystander.isUnharmed();
  });
});

describe('a WebSocket', () => {
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
  const asking = (...headers: string[]) =>
    [`GET ${MAPS}?watch=true HTTP/1.1`, 'Host: a', ...headers].join(CRLF) + CRLF + CRLF;

  it.each([
    ['without a key', asking(...upgrade, 'Sec-WebSocket-Version: 13')],
    ['with a bad key', asking(...upgrade, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: x')],
    ['of another version', asking(...upgrade, 'Sec-WebSocket-Version: 99', key)],
    [
      'with the same protocol twice',
      asking(...upgrade, 'Sec-WebSocket-Version: 13', key, 'Sec-WebSocket-Protocol: a,a'),
    ],
    ['that is another protocol', asking('Connection: Upgrade', 'Upgrade: h2c')],
  ])('%s is 400', async (_name, text) => {
    const bystander = new Bystander(server());
    expect(await conversation(server(), text)).toMatch(BAD_REQUEST);
    await bystander.untilNoWatches();
    await bystander.isUnharmed();
  });

  async function opened(): Promise<TLSSocket> {
    const socket = await tlsTo(server(), 'http/1.1');
    socket.write(asking(...upgrade, 'Sec-WebSocket-Version: 13', key));
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString('latin1')).toMatch(/^HTTP\/1\.1 101 /);
    return socket;
  }

  /** Masked with zeros, so that the payload can be read here. */
  function message(opcode: number, payload: Buffer, length = payload.length): Buffer {
    const head = Buffer.alloc(14);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
    return Buffer.concat([head, payload]);
  }

  it.each([
    ['an unmasked frame', Buffer.from([0x81, 0x01, 0x61])],
    ['an unknown opcode', Buffer.from([0x85, 0x80, 0, 0, 0, 0])],
    ['reserved bits', Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
    ['text that is no UTF-8', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff])],
    ['a close without a code', Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0, 1])],
    ['a message that is too large', message(1, Buffer.alloc(10_000, 'x'))],
    ['a length that is a lie', message(2, Buffer.alloc(1), 2 ** 40)],
  ])('that sends %s is closed', async (_name, bytes) => {
    const bystander = new Bystander(server());
    const socket = await opened();
    const closed = untilClosed(socket);
    socket.resume().write(bytes);
    await closed;
    await bystander.untilNoWatches();
    await bystander.isUnharmed();
  });

  it('that pings and never reads a pong is held no memory for', async () => {
    const bystander = new Bystander(server());
    const socket = await opened();
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 120, 0, 0, 0, 0]), Buffer.alloc(120)]);
    await flood(socket, Buffer.concat(Array.from({ length: 1_000 }, () => ping)), 100);
    await bystander.untilNoWatches();
    await bystander.isUnharmed();
  });
});
