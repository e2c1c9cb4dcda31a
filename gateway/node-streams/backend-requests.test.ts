/** How long a node may take to be connected with: its flag says five seconds, and is without effect. */
import { once } from 'node:events';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';

import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { until } from '../../tools/until.fixture.ts';
import { makeAuthority, makeLeaf } from '../listener/tls/certificate-maker.ts';
import { BackendRequests } from './backend-requests.ts';
import { headOf, textOf } from './plain-proxy.ts';

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** A node that takes the connection and begins its handshake when it is told to. */
async function slowNode() {
  const now = Date.now();
  const validity = { notBefore: now - 60_000, notAfter: now + 60_000 };
  const { certificate: cert, key } = await makeLeaf(await makeAuthority('nodes', validity), {
    ...{ commonName: 'node', organizations: [], use: 'server', validity },
    names: [{ type: 'ip', value: '127.0.0.1' }],
  });
  const https = createHttps({ cert, key }, (_request, response) => response.end('line 0\n'));
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  return {
    port: (server.address() as AddressInfo).port, // It listens on TCP.
    isConnected: () => sockets.length > 0,
    goOn() {
      for (const socket of sockets) https.emit('connection', socket.resume());
    },
  };
}

async function asked() {
  const node = await slowNode();
  const clock = new ManualClock();
  const requests = new BackendRequests({
    ...{ clock, way: undefined },
    credentials: () => ({ cert: undefined, key: undefined, ca: undefined }),
  });
  const sent = await requests.open(
    {
      ...{ scheme: 'https', host: '127.0.0.1', port: String(node.port), path: '/log', query: '' },
      ...{ trust: 'node', globalOnly: false },
    },
    { method: 'GET', headers: ['Host', 'node'] },
  );
  const coming = headOf(sent, { whenGone: () => undefined });
  sent.end();
  await until(node.isConnected);
  return { node, clock, coming };
}

it('has 30 seconds for its handshake', async () => {
  const { node, clock, coming } = await asked();
  clock.advance(29_000);
  node.goOn();
  const response = await coming;
  clock.advance(29_000);
  expect([response.statusCode, String(await textOf(response))]).toEqual([200, 'line 0\n']);
  expect(clock.waiting).toBe(0);
});

it('that has not ended its handshake by then is given up', async () => {
  const { node, clock, coming } = await asked();
  clock.advance(30_000);
  await expect(coming).rejects.toThrow(`dial tcp 127.0.0.1:${String(node.port)}: i/o timeout`);
});
