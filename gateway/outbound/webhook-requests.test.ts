/** Webhooks in the clear, from the kubeconfig file to the request that they get. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { webhookPost } from '../audit/webhook-backend.ts';
import { reviewClient } from '../authorization/review-post.ts';
import { webhookAccess } from '../configuration/kubeconfig-access.ts';
import { systemClock } from '../process/system-clock.ts';
import type { ProxyWay } from './egress/proxy-way.ts';

interface Heard {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const folder = mkdtempSync(join(tmpdir(), 'webhook-requests-'));
const file = join(folder, 'kubeconfig');
const heard: Heard[] = [];
const sockets = new Set<number | undefined>();
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    heard.push({ url: request.url, headers: request.headers, body });
    sockets.add(request.socket.remotePort);
    response.end('{"answer":true}');
  });
});

let place = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${String((server.address() as AddressInfo).port)}`; // It listens on TCP.
});
beforeEach(() => {
  heard.length = 0;
  sockets.clear();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** With credentials, which client-go reads only where there is TLS: the files need not be there. */
function write(address: string): void {
  const user = { token: 'secret', 'client-certificate': '/no/such', 'client-key': '/no/such' };
  const content = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: address } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(file, JSON.stringify(content));
}

it('a review is posted in the clear, without credentials, over a connection that is kept', async () => {
  write(`http://${place}/path`);
  const client = reviewClient(await webhookAccess(file), systemClock);
  for (const text of ['one', 'two']) {
    const answer = await client.post(Buffer.from(text), 10_000);
    expect(answer).toEqual({ ok: true, body: Buffer.from('{"answer":true}') });
  }
  expect(heard.map(({ url, body }) => [url, body])).toEqual([
    ['/path?timeout=10s', 'one'],
    ['/path?timeout=10s', 'two'],
  ]);
  expect(heard[0]?.headers).toMatchObject({ host: place, 'content-type': 'application/json' });
  expect(heard[0]?.headers).not.toHaveProperty('authorization');
  expect(sockets.size).toBe(1);
});

it('events of the audit are, too', async () => {
  write(`http://${place}`);
  const post = webhookPost(await webhookAccess(file), systemClock);
  expect(await post(Buffer.from('events'))).toBeUndefined();
  expect(heard.map(({ url, body }) => [url, body])).toEqual([['/?timeout=30s', 'events']]);
});

it('a review goes through the proxy of the control plane', async () => {
  write('http://webhook.example');
  const targets: string[] = [];
  const proxy: ProxyWay = {
    open(target, opened) {
      targets.push(target);
      opened(connect(Number(place.split(':')[1]), '127.0.0.1'));
    },
  };
  const client = reviewClient({ ...(await webhookAccess(file)), proxy }, systemClock);
  expect(await client.post(Buffer.from('x'), 10_000)).toMatchObject({ ok: true });
  expect([targets, heard[0]?.headers.host]).toEqual([['webhook.example:80'], 'webhook.example']);
});

it('a port without a listener is told of in the words of Go', async () => {
  write('http://127.0.0.1:1');
  const client = reviewClient(await webhookAccess(file), systemClock);
  const message =
    'Post "http://127.0.0.1:1?timeout=5s": dial tcp 127.0.0.1:1: connect: connection refused';
  expect(await client.post(Buffer.from('x'), 5_000)).toEqual({
    ...{ ok: false, message, mayRetry: false },
  });
});

it('other schemes are refused, and so is none', async () => {
  for (const address of ['ftp://a.example', 'a.example:80']) {
    write(address);
    await expect(webhookAccess(file)).rejects.toThrow('is not an http:// or https:// URL');
  }
});
