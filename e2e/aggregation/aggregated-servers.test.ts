/**
 * Aggregated API servers as clients meet them: sample-apiserver unmodified, with its authentication and
 * authorization left to this server, and servers of the test that answer badly, or not at all.
 */
import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { created } from '../api/objects.ts';
import { conversation, CRLF, tlsTo, untilClosed } from '../hostile/wire.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import type { RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { type JsonObject, listAt, textAt } from '../support/json.ts';
import { describeWith } from '../support/requirements.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import {
  aggregationTrust,
  type AggregationTrust,
  registered,
  untilReason,
} from './given-aggregation.ts';
import { SAMPLE_GROUP, SAMPLE_VERSION, sampleServer } from './sample-server.ts';

let trust: AggregationTrust;
let server: RunningServer;
let client: AdminClient;
beforeAll(async () => {
  trust = await aggregationTrust();
  const args = [...trust.serverFlags, '--authorization-mode=RBAC'];
  server = await startServer({ args, controllers: 'namespace,garbagecollector' });
  client = adminClient(server);
});
afterAll(async () => {
  client.close();
  await server.stop();
  for (const close of closing) close();
  trust.remove();
});

const closing: (() => void)[] = [];
const NAMESPACES = '/api/v1/namespaces';
const ONE = 'metadata.name%3D';

/** A server of HTTP/2 behind the service of that name. */
async function testServer(
  service: string,
  handle: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
): Promise<number> {
  const { certificate, key } = await trust.serving(service);
  const tls = { cert: certificate, key, ca: trust.proxyAuthority, requestCert: true };
  const listening = createSecureServer({ ...tls, rejectUnauthorized: true }, handle);
  const open = new Set<{ destroy(): void }>();
  listening.on('session', (session) => open.add(session));
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  closing.push(() => {
    for (const session of open) session.destroy();
    listening.close();
  });
  return (listening.address() as AddressInfo).port; // It listens on TCP.
}

await describeWith('sample-apiserver', 'sample-apiserver', (program) => {
  const FLUNDERS = `/apis/${SAMPLE_GROUP}/${SAMPLE_VERSION}/namespaces/default/flunders`;
  let sample: RunningCommand;

  beforeAll(async () => {
    const { port, start } = await sampleServer(program, trust, server);
    sample = start();
    const { caBundle } = trust;
    await registered(client, SAMPLE_GROUP, SAMPLE_VERSION, { service: 'sample', port, caBundle });
  });
  afterAll(async () => {
    sample.kill('SIGKILL');
    await sample.ended;
  });

  it('is available once it answers, and serves objects and watches to users that may', async () => {
    await untilReason(client, `${SAMPLE_VERSION}.${SAMPLE_GROUP}`, 'Passed').catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${sample.stderr()}`);
      },
    );
    const watch = await HttpWatch.open(client, FLUNDERS);
    const flunder: JsonObject = {
      ...{
        kind: 'Flunder',
        apiVersion: `${SAMPLE_GROUP}/${SAMPLE_VERSION}`,
        metadata: { name: 'one' },
      },
      spec: { reference: 'two' },
    };
    expect((await client.post(FLUNDERS, flunder)).status).toBe(201);
    await watch.until('flunder', ({ type }) => type === 'ADDED');
    watch.close();
    const listed = await client.get(FLUNDERS);
    expect(listAt(listed.body, 'items')).toHaveLength(1);
    const changed = await client.patch(`${FLUNDERS}/one`, { metadata: { labels: { a: 'b' } } });
    expect(changed.status).toBe(200);

    const jane = { 'Impersonate-User': 'jane' };
    const refused = await client.get(FLUNDERS, jane);
    expect(refused.status).toBe(403);
    expect(textAt(refused.body, 'message')).toContain(
      'User "jane" cannot list resource "flunders"',
    );
    const rules = [{ apiGroups: [SAMPLE_GROUP], resources: ['flunders'], verbs: ['list'] }];
    const head = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'flunders' } };
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    await created(client, `${rbac}/roles`, { kind: 'Role', ...head, rules });
    await created(client, `${rbac}/rolebindings`, {
      ...{ kind: 'RoleBinding', ...head },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'flunders' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    // The aggregated server asks this one again, with the user that it was told of.
    expect((await client.get(FLUNDERS, jane)).status).toBe(200);
    expect((await client.delete(`${FLUNDERS}/one`)).status).toBe(200);
  });

  it('loses what it has of a namespace that ends', async () => {
    const metadata = { name: 'flundery' };
    await created(client, NAMESPACES, { kind: 'Namespace', apiVersion: 'v1', metadata });
    const flunders = FLUNDERS.replace('default', 'flundery');
    await created(client, flunders, {
      ...{
        kind: 'Flunder',
        apiVersion: `${SAMPLE_GROUP}/${SAMPLE_VERSION}`,
        metadata: { name: 'one' },
      },
    });
    const watch = await HttpWatch.open(client, `${NAMESPACES}?fieldSelector=${ONE}flundery`);
    await client.delete(`${NAMESPACES}/flundery`);
    await watch.until('gone', ({ type }) => type === 'DELETED');
    watch.close();
    expect((await client.get(`${flunders}/one`)).status).toBe(404);
  });

  it('has no past and no forks here, and both are said', async () => {
    const past = await client.get(`/at/1${FLUNDERS}`);
    expect(past.status).toBe(400);
    expect(textAt(past.body, 'message')).toMatch(
      /^wardle.example.com\/v1alpha1 is served by another/,
    );
  });

  it('is unavailable when it has gone', async () => {
    sample.kill('SIGKILL');
    await sample.ended;
    expect((await client.get(FLUNDERS)).status).toBe(503);
    // The request that failed has it looked at: no client waits for the next half minute.
    const condition = await untilReason(
      client,
      `${SAMPLE_VERSION}.${SAMPLE_GROUP}`,
      'FailedDiscoveryCheck',
    );
    expect(textAt(condition, 'message')).toContain('connect: connection refused');
    const { status, body } = await client.get(FLUNDERS);
    expect([status, body]).toEqual([503, 'service unavailable\n']);
  });
});

it('CVE-2022-3172: a redirect of an aggregated server reaches no client', async () => {
  const port = await testServer('redirects', ({ url }, response) => {
    if (url.endsWith('/v1')) return void response.end('{}');
    response.writeHead(302, { location: 'https://192.0.2.1/steal' });
    response.end();
  });
  const to = { service: 'redirects', port, caBundle: trust.caBundle };
  await registered(client, 'redirects.example.com', 'v1', to);
  await untilReason(client, 'v1.redirects.example.com', 'Passed');
  const answer = await client.get('/apis/redirects.example.com/v1/things');
  expect(answer.status).toBe(502);
  expect(answer.headers['location']).toBeUndefined();
});

it('an upgrade goes on between the client and the server, as its user; what is refused is no tunnel', async () => {
  const { certificate, key } = await trust.serving('console');
  const tls = { cert: certificate, key, ca: trust.proxyAuthority, requestCert: true };
  const backend = createServer({ ...tls, rejectUnauthorized: true }, (_request, response) => {
    response.end('{}');
  });
  backend.on('upgrade', ({ url = '', headers }, socket: Duplex) => {
    socket.on('error', () => undefined);
    if (url.includes('refused')) {
      socket.write(`HTTP/1.1 403 Forbidden${CRLF}Content-Length: 2${CRLF}${CRLF}no`);
    } else if (url.includes('elsewhere')) {
      socket.write(`HTTP/1.1 302 Found${CRLF}Location: https://192.0.2.1/${CRLF}${CRLF}`);
    } else {
      const shown = [headers['x-remote-user'], headers['x-remote-group'], headers.authorization];
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: echo'];
      socket.write(`${lines.join(CRLF)}${CRLF}${CRLF}${shown.map(String).join('|')} `);
      socket.pipe(socket);
    }
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  closing.push(() => {
    backend.closeAllConnections();
    backend.close();
  });
  const { port } = backend.address() as AddressInfo; // It listens on TCP.
  const to = { service: 'console', port, caBundle: trust.caBundle };
  await registered(client, 'console.example.com', 'v1', to);
  await untilReason(client, 'v1.console.example.com', 'Passed');

  const asked = (name: string): string => {
    const path = `/apis/console.example.com/v1/namespaces/default/machines/${name}/console`;
    const headers = ['Host: everwatch', 'Connection: Upgrade', 'Upgrade: echo'];
    const forged = ['X-Remote-User: root', 'X-Remote-Group: root'];
    return `${[`GET ${path} HTTP/1.1`, ...headers, ...forged].join(CRLF)}${CRLF}${CRLF}`;
  };
  const socket = await tlsTo(server, 'http/1.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.write(`${asked('one')}hello`);
  await eventually('an echo', () => text.includes('hello') || undefined);
  expect(text).toMatch(/\r\n\r\nkubernetes-admin\|[^|]*system:masters[^|]*\|undefined hello$/);
  expect(text).not.toContain('root');
  const closed = untilClosed(socket);
  socket.end();
  await closed;

  const refused = await conversation(server, asked('refused') + asked('one'));
  expect(refused.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 403']);
  const elsewhere = await conversation(server, asked('elsewhere') + asked('one'));
  expect(elsewhere.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 503']);
  expect(elsewhere).not.toContain('192.0.2.1');

  // A stopping server waits for no console: its client may stay for hours.
  const other = await startServer({ args: [...trust.serverFlags] });
  const own = adminClient(other);
  await registered(own, 'console.example.com', 'v1', to);
  await untilReason(own, 'v1.console.example.com', 'Passed');
  own.close();
  const staying = await tlsTo(other, 'http/1.1');
  const ended = untilClosed(staying);
  let echoed = '';
  staying.on('data', (chunk: Buffer) => (echoed += chunk.toString()));
  staying.write(`${asked('one')}hello`);
  await eventually('an echo', () => echoed.includes('hello') || undefined);
  expect(await other.stop()).toBe(0);
  await ended;

  // A console that cannot be reached has its server looked at, as any other request.
  backend.closeAllConnections();
  backend.close();
  expect(await conversation(server, asked('one'))).toMatch(/^HTTP\/1\.1 503 .*error dialing /s);
  await untilReason(client, 'v1.console.example.com', 'FailedDiscoveryCheck');
});

it('of twenty servers that never answer none keeps another from its work, and namespaces wait for them', async () => {
  const groups = Array.from({ length: 20 }, (_, at) => `hangs-${String(at)}.example.com`);
  let asked = 0;
  const ports = await Promise.all(
    groups.map((_, at) => testServer(`hangs-${String(at)}`, () => void (asked += 1))),
  );
  const { caBundle } = trust;
  await Promise.all(
    groups.map((group, at) =>
      registered(client, group, 'v1', {
        service: `hangs-${String(at)}`,
        port: ports[at] ?? 0,
        caBundle,
      }),
    ),
  );
  const port = await testServer('answers', (_request, response) => response.end('{"kind":"Some"}'));
  await registered(client, 'answers.example.com', 'v1', { service: 'answers', port, caBundle });
  await untilReason(client, 'v1.answers.example.com', 'Passed');
  expect((await client.get('/apis/answers.example.com/v1/things')).status).toBe(200);

  await created(client, NAMESPACES, {
    ...{ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ends' } },
  });
  const watch = await HttpWatch.open(client, `${NAMESPACES}?fieldSelector=${ONE}ends`);
  await client.delete(`${NAMESPACES}/ends`);
  const why = 'hangs-7.example.com/v1: stale GroupVersion discovery: hangs-7.example.com/v1';
  await watch.until('told', ({ object }) => JSON.stringify(object).includes(why));
  watch.close();
  // All of them have been asked, and still no word has come of any.
  expect(asked).toBeGreaterThanOrEqual(100);
  for (const group of groups) {
    expect((await client.get(`/apis/${group}/v1/things`)).body).toBe('service unavailable\n');
  }
});
