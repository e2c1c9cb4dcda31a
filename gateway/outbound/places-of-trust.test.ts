/**
 * Every place from which this server, or a tool of it, calls a server over TLS: each believes a
 * certificate that is its own authority, which OpenSSL does not, and none believes a stranger.
 */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { webhookPost } from '../audit/webhook-backend.ts';
import { reviewClient } from '../authorization/review-post.ts';
import { ApiClient } from '../commands/log-source/api-client.ts';
import { HttpsClusterClient } from '../remote-cluster/https-cluster-client.ts';
import { makeAuthority, makeLeaf } from '../listener/tls/certificate-maker.ts';
import { openConnectTunnel } from './egress/proxy-way.ts';
import { httpsDocuments } from './https-documents.ts';
import { HttpsWebhooks } from './https-webhooks.ts';

const now = Date.now();
const clock = testClock(now);
const validity = { notBefore: now - 3_600_000, notAfter: now + 3_600_000 };
const root = await makeAuthority('root', validity);
const stranger = await makeAuthority('root', validity);
const leaf = await makeLeaf(root, {
  ...{ commonName: 'served', organizations: [], use: 'server', validity },
  names: [{ type: 'dns', value: 'localhost' }],
});

let server: Server;
let port: number;
let asked = 0;
beforeAll(async () => {
  server = createServer({ cert: leaf.certificate, key: leaf.key }, (request, response) => {
    asked += 1;
    request.resume();
    response.end('{}');
  });
  server.on('connect', (_, socket) => {
    asked += 1;
    socket.end('HTTP/1.1 200 OK\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo); // It listens on TCP.
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function endpoint(ca: string) {
  const none = {
    serverName: '',
    cert: undefined,
    key: undefined,
    authorization: '',
    namespace: '',
  };
  return { server: `https://localhost:${String(port)}`, ca, verifiesServer: true, ...none };
}

/** What is wrong; '': nothing is. */
type Call = (ca: string) => Promise<string>;

const body = Buffer.from('{}');

const PLACES: readonly (readonly [string, Call])[] = [
  [
    'webhooks for admission and conversion',
    async (caBundle) => {
      const resolve = () => ({ ok: false, message: '' }) as const;
      const url = endpoint('').server;
      const answer = await new HttpsWebhooks({ clock, resolve }).post(
        { url, service: undefined, caBundle },
        body,
      );
      return answer.ok ? '' : answer.message;
    },
  ],
  ['the audit webhook', async (ca) => (await webhookPost(endpoint(ca), clock)(body)) ?? ''],
  [
    'webhooks for authentication, authorization and image policies',
    async (ca) => {
      const answer = await reviewClient(endpoint(ca), clock).post(body, 10_000);
      return answer.ok ? '' : answer.message;
    },
  ],
  [
    'issuers of tokens',
    async (certificateAuthority) => {
      const issuer = { certificateAuthority } as Parameters<ReturnType<typeof httpsDocuments>>[1];
      const fetched = await httpsDocuments(clock)(endpoint('').server, issuer);
      return fetched.ok ? '' : fetched.problem;
    },
  ],
  [
    'proxies for egress',
    (ca) =>
      new Promise((resolve) => {
        const tls = { ca, cert: leaf.certificate, key: leaf.key, serverName: '' };
        const place = { kind: 'tcp', host: 'localhost', port, tls } as const;
        openConnectTunnel(place, { target: 'a:1', clock }, (tunnel) => {
          if (!(tunnel instanceof Error)) tunnel.destroy();
          resolve(tunnel instanceof Error ? tunnel.message : '');
        });
      }),
  ],
  ['tools that read a server', (ca) => problemOf(new ApiClient(endpoint(ca)).getJson('/'))],
  [
    'import and record',
    (ca) => {
      const client = new HttpsClusterClient(endpoint(ca));
      return problemOf(client.send('GET', '/', { signal: new AbortController().signal }));
    },
  ],
];

async function problemOf(asking: Promise<unknown>): Promise<string> {
  try {
    await asking;
    return '';
  } catch (error) {
    return String(error);
  }
}

describe.each(PLACES)('%s', (_, call) => {
  it('believe a certificate that is its own authority', async () => {
    asked = 0;
    expect(await call(leaf.certificate)).toBe('');
    expect(asked).toBe(1);
  });

  it('do not believe another authority of the same name', async () => {
    asked = 0;
    expect(await call(stranger.certificate)).toContain(
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    );
    expect(asked).toBe(0);
  });
});
