import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';

import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import type { Outcome, ReceivedRequest } from '../../actors/request/request.ts';
import { unauthorized } from '../../api/meta/status.ts';
import { givenViews } from '../../projections/given.fixture.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { plannedWatch } from './given-session.fixture.ts';
import { WatchSessions } from './watch-sessions.ts';
import { WebSocketWatches } from './websocket-watch.ts';
import { until } from '../../tools/until.fixture.ts';

const BEARER = 'base64url.bearer.authorization.k8s.io.dG9rZW4';
const closers: (() => void)[] = [];

function fail(error: unknown): never {
  throw error;
}

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that upgrades and nothing else; its filter chain is one function. */
async function given(answer?: (request: ReceivedRequest) => Answer | undefined) {
  const resourceViews = await givenViews();
  const { clock } = resourceViews;
  const sessions = new WatchSessions({ clock, failed: fail });
  const requests: ReceivedRequest[] = [];
  const outcomes: Outcome[] = [];
  const watch = (): Answer => {
    return { kind: 'Watch', served: configMaps, plan: plannedWatch(resourceViews) };
  };
  const watches = new WebSocketWatches(
    {
      send(request) {
        requests.push(request);
        request.atTheEnd((_request, outcome) => outcomes.push(outcome));
        const given = (answer ?? watch)(request);
        if (given !== undefined) request.reply(given);
      },
    },
    sessions,
  );
  const server = createServer();
  server.on('upgrade', (incoming, socket, head) => {
    const connection = { remoteAddress: '192.0.2.1', clientCertificate: () => undefined };
    watches.upgrade(incoming, socket, head, connection);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return { ...resourceViews, sessions, requests, outcomes, watch, port };
}

class Client {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  isClosed = false;

  constructor(
    port: number,
    headers: Record<string, string> = {},
    path = '/api/v1/configmaps?watch=1',
  ) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk) => (this.#bytes = Buffer.concat([this.#bytes, chunk])));
    this.socket.on('close', () => (this.isClosed = true));
    closers.push(() => this.socket.destroy());
    const all = {
      Host: 'localhost',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    this.socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  }

  get text(): string {
    return this.#bytes.toString('latin1');
  }

  /** Waits until the other end has written so much that this holds. */
  async until(holds: (text: string) => boolean): Promise<string> {
    await until(() => this.isClosed || holds(this.text));
    if (!holds(this.text)) throw new Error(`closed behind ${this.text}`);
    return this.text;
  }

  /** The head of the answer. */
  async head(): Promise<string> {
    const text = await this.until((all) => all.includes('\r\n\r\n'));
    return text.slice(0, text.indexOf('\r\n\r\n'));
  }

  async closed(): Promise<void> {
    await until(() => this.isClosed);
  }
}

/** A frame as clients send it: masked, here with zeros. */
function masked(opcode: number, payload: Buffer): Buffer {
  const head =
    payload.length < 126
      ? [0x80 | payload.length]
      : [0xfe, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...head, 0, 0, 0, 0]), payload]);
}

describe('a watch over WebSocket', () => {
  it('shows events as messages', async () => {
    const { port, append, requests, outcomes, sessions } = await given();
    const client = new Client(port);
    expect(await client.head()).toMatch(/^HTTP\/1\.1 101 /);
    expect(requests[0]).toMatchObject({
      isWebSocket: true,
      path: '/api/v1/configmaps',
      query: 'watch=1',
    });
    expect(sessions.openCount).toBe(1);
    await append({ path: 'ns/a' });
    const text = await client.until((all) => all.endsWith('}\n'));
    const frame = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1');
    expect(frame[0]).toBe(0x81);
    expect(frame[1]).toBe(126);
    const message = frame.subarray(4);
    expect(message.length).toBe(frame.readUInt16BE(2));
    expect(JSON.parse(message.toString())).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'a' } },
    });
    expect(outcomes).toEqual([]);
  });

  it('shows protobuf as binary messages', async () => {
    const { port, append } = await given();
    const client = new Client(port, { Accept: 'application/vnd.kubernetes.protobuf' });
    await client.head();
    await append({ path: 'ns/a' });
    const text = await client.until((all) => all.includes('k8s\0'));
    expect(text.charCodeAt(text.indexOf('\r\n\r\n') + 4)).toBe(0x82);
  });

  it('never speaks the protocol in which the token came', async () => {
    const { port } = await given();
    const one = new Client(port, { 'Sec-WebSocket-Protocol': `${BEARER}, v4.channel.k8s.io` });
    expect(await one.head()).toContain('Sec-WebSocket-Protocol: v4.channel.k8s.io');
    const two = new Client(port, { 'Sec-WebSocket-Protocol': BEARER });
    expect(await two.head()).not.toContain('Sec-WebSocket-Protocol');
  });

  it('answers pings in between', async () => {
    const { port } = await given();
    const client = new Client(port);
    await client.head();
    client.socket.write(masked(0x9, Buffer.from('hi')));
    await client.until((all) => all.endsWith('\u008a\u0002hi'));
  });

  it.each(['goes', 'says goodbye', 'says too much', 'talks nonsense'])(
    'ends when its client %s',
    async (how) => {
      const { port, outcomes, sessions } = await given();
      const client = new Client(port);
      await client.head();
      if (how === 'goes') client.socket.destroy();
      if (how === 'says goodbye') client.socket.write(masked(0x8, Buffer.from([0x03, 0xe8])));
      if (how === 'says too much') client.socket.write(masked(0x1, Buffer.alloc(10_000)));
      if (how === 'talks nonsense') client.socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
      await client.closed();
      await until(() => outcomes.length > 0);
      expect(sessions.openCount).toBe(0);
      expect(outcomes).toHaveLength(1);
    },
  );

  it('ends with a goodbye when its time is up', async () => {
    const { port, clock, outcomes } = await given();
    const client = new Client(port);
    await client.head();
    clock.advance(60_000);
    await client.until((all) => all.endsWith('\u0088\u0002\u0003\u00e8'));
    client.socket.write(masked(0x8, Buffer.from([0x03, 0xe8])));
    await client.closed();
    await until(() => outcomes.length > 0);
    expect(outcomes).toHaveLength(1);
  });
});

describe('what is not opened', () => {
  it('is an ordinary answer, and the connection is closed', async () => {
    const { port, outcomes } = await given((request) => {
      request.responseHeaders['Audit-Id'] = 'x';
      return statusAnswer(unauthorized());
    });
    const client = new Client(port);
    await client.closed();
    const [head = '', body = ''] = client.text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    expect(head).toContain('Audit-Id: x');
    expect(head).toContain('Connection: close');
    expect(JSON.parse(body)).toMatchObject({ kind: 'Status', code: 401 });
    expect(outcomes).toEqual([{ code: 401, sizeBytes: body.length }]);
  });

  it('is what is no watch', async () => {
    const document: Answer = { kind: 'Document', code: 200, headers: {}, body: Buffer.alloc(0) };
    const { port } = await given(() => document);
    const client = new Client(port);
    await client.closed();
    expect(client.text).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    ['another protocol', { Upgrade: 'SPDY/3.1' }],
    ['no key', { 'Sec-WebSocket-Key': 'short' }],
    ['another version', { 'Sec-WebSocket-Version': '7' }],
  ])('is a handshake with %s', async (_what, headers) => {
    const { port, outcomes, sessions } = await given();
    const client = new Client(port, headers);
    await client.closed();
    expect(client.text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(sessions.openCount).toBe(0);
    expect(outcomes).toHaveLength(1);
  });

  it('is a watch whose client has gone meanwhile', async () => {
    const { port, requests, outcomes, watch, sessions } = await given(() => undefined);
    const client = new Client(port);
    await until(() => requests.length > 0);
    client.socket.destroy();
    await client.closed();
    for (let turns = 0; turns < 20; turns += 1)
      await new Promise((resolve) => setImmediate(resolve));
    requests[0]?.reply(watch());
    await until(() => outcomes.length > 0);
    expect(sessions.openCount).toBe(0);
    expect(outcomes).toHaveLength(1);
  });
});
