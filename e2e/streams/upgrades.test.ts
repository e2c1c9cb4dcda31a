/**
 * What becomes of an upgrade, as bytes on the wire, with kubelets that behave as none should: what they
 * refuse is no tunnel, where they redirect nothing follows, and with one end the other goes.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { created } from '../api/objects.ts';
import { CRLF, tlsTo, untilClosed } from '../hostile/wire.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, parseJson, textAt } from '../support/json.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';
import { auditPolicy } from './audit-policy.ts';
import { nodeWithPod } from './kubelets.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SECOND = `GET /version HTTP/1.1${CRLF}Host: a${CRLF}${CRLF}`;

let kubelet: Server;
let server: RunningServer;
let client: AdminClient;
let log: string;
const ends = new Set<Duplex>();
const asked: string[] = [];

beforeAll(async () => {
  const { certificate, key } = await (await testAuthority('nodes')).issue('node', ['127.0.0.1']);
  kubelet = createServer({ cert: certificate, key });
  kubelet.on('request', (request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(302, { Location: 'https://127.0.0.1:1/elsewhere' }).end();
  });
  kubelet.on('upgrade', (request, socket: Duplex) => {
    const url = request.url ?? '';
    asked.push(`${request.method ?? ''} ${url}`);
    ends.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => ends.delete(socket));
    if (url.startsWith('/exec')) {
      // An answer of its own, and the connection is left open for whatever comes.
      socket.write(`HTTP/1.1 403 Forbidden${CRLF}Content-Length: 2${CRLF}${CRLF}no`);
      socket.on('data', (chunk: Buffer) => asked.push(chunk.toString()));
    } else if (url.startsWith('/attach')) {
      const lines = ['HTTP/1.1 302 Found', 'Location: https://127.0.0.1:1/', 'Content-Length: 0'];
      socket.write(`${lines.join(CRLF)}${CRLF}${CRLF}`);
    } else {
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: echo'];
      socket.write(`${lines.join(CRLF)}${CRLF}${CRLF}first `);
      socket.pipe(socket);
    }
  });
  kubelet.listen(0, '127.0.0.1');
  const audit = auditPolicy();
  log = audit.log;
  server = await startServer({
    args: ['--kubelet-preferred-address-types=InternalIP', ...audit.flags],
  });
  client = adminClient(server);
  const { port } = kubelet.address() as AddressInfo;
  await nodeWithPod(client, 'one', { host: '127.0.0.1', port });
});
afterAll(async () => {
  client.close();
  await server.stop();
  kubelet.closeAllConnections();
  kubelet.close();
});

function upgradeText(method: string, path: string, behind = ''): string {
  const headers = [
    `${method} ${path} HTTP/1.1`,
    'Host: everwatch',
    'Connection: Upgrade',
    'Upgrade: echo',
  ];
  return `${headers.join(CRLF)}${CRLF}${CRLF}${behind}`;
}

async function said(method: string, path: string, behind = ''): Promise<string> {
  const socket = await tlsTo(server, 'http/1.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = untilClosed(socket);
  socket.write(upgradeText(method, path, behind));
  await closed;
  return Buffer.concat(chunks).toString();
}

it('CVE-2018-1002105: an upgrade that the node refuses ends with the refusal', async () => {
  const answer = await said('POST', `${PODS}/one/exec?container=main&command=id`, SECOND);
  expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 403']);
  expect(answer).toMatch(/\r\n\r\nno$/);
  await eventually('the node is left', () => ends.size === 0 || undefined);
  expect(asked).toEqual(['POST /exec/default/one/main?command=id']);
});

it('CVE-2020-8559: an upgrade that the node redirects leads nowhere', async () => {
  const answer = await said('GET', `${PODS}/one/attach?container=main`, SECOND);
  expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 500']);
  expect(answer).toContain('invalid upgrade response: status code 302');
  expect(answer).not.toContain('127.0.0.1:1/');
});

it('CVE-2018-1002102: a log that the node redirects is not looked for elsewhere', async () => {
  const { status, body } = await client.get(`${PODS}/one/log?container=main`);
  expect([status, textAt(body, 'message')]).toEqual([
    500,
    'Get "https://127.0.0.1:1/elsewhere": redirects forbidden',
  ]);
});

it('bytes pass both ways, and with either end the other goes', async () => {
  for (const isClientFirst of [true, false]) {
    const socket = await tlsTo(server, 'http/1.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const closed = untilClosed(socket);
    socket.write(upgradeText('POST', `${PODS}/one/portforward?ports=80`, 'at once '));
    await eventually('an echo', () => text.includes('at once ') || undefined);
    socket.write('later');
    await eventually('another echo', () => text.endsWith('first at once later') || undefined);
    expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    if (isClientFirst) socket.destroy();
    else for (const end of ends) end.destroy();
    await closed;
    await eventually('both are gone', () => ends.size === 0 || undefined);
  }
});

it('a stopping server ends the connections that it passes on', async () => {
  const other = await startServer({ args: ['--kubelet-preferred-address-types=InternalIP'] });
  const own = adminClient(other);
  const { port } = kubelet.address() as AddressInfo;
  await nodeWithPod(own, 'one', { host: '127.0.0.1', port });
  const socket = await tlsTo(other, 'http/1.1');
  const closed = untilClosed(socket);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.write(upgradeText('POST', `${PODS}/one/portforward`));
  await eventually('the first bytes', () => text.includes('first') || undefined);
  own.close();
  expect(await other.stop()).toBe(0);
  await closed;
  expect(ends.size).toBe(0);
});

it('exec, attach and portforward need the verb create, by whichever method', async () => {
  const guarded = await startServer({
    args: ['--authorization-mode=RBAC', '--kubelet-preferred-address-types=InternalIP'],
  });
  const admin = adminClient(guarded);
  const { port } = kubelet.address() as AddressInfo;
  const codes: Record<string, number> = {};
  try {
    await nodeWithPod(admin, 'one', { host: '127.0.0.1', port });
    await allowed(admin, 'reader', ['get']);
    await allowed(admin, 'maker', ['create']);
    await allowed(admin, 'both', ['get', 'create']);
    const asking = STREAMS.flatMap((one) =>
      USERS.flatMap((user) => [
        ['GET', user, one],
        ['POST', user, one],
      ]),
    );
    for (const [method = '', user = '', subresource = ''] of asking) {
      const path = `${PODS}/one/${subresource}?container=main`;
      const { status } = await admin.send(method, path, { headers: { 'Impersonate-User': user } });
      codes[`${user} ${method} ${subresource}`] = status;
    }
  } finally {
    admin.close();
    await guarded.stop();
  }
  for (const subresource of STREAMS) {
    const of = (user: string) =>
      ['GET', 'POST'].map((method) => codes[`${user} ${method} ${subresource}`]);
    // 400: it is authorized, and asks for no upgrade.
    expect([of('reader'), of('maker'), of('both')]).toEqual([
      [403, 403],
      [403, 400],
      [400, 400],
    ]);
  }
});

const STREAMS = ['exec', 'attach', 'portforward'];
const USERS = ['reader', 'maker', 'both'];

async function allowed(admin: AdminClient, user: string, verbs: string[]): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const group = 'rbac.authorization.k8s.io';
  const apiVersion = `${group}/v1`;
  const resources = STREAMS.map((one) => `pods/${one}`);
  const metadata = { name: user };
  const rules = [{ apiGroups: [''], resources, verbs }];
  await created(admin, `${rbac}/roles`, { kind: 'Role', apiVersion, metadata, rules });
  const roleRef = { apiGroup: group, kind: 'Role', name: user };
  const subjects = [{ apiGroup: group, kind: 'User', name: user }];
  const binding = { kind: 'RoleBinding', apiVersion, metadata, roleRef, subjects };
  await created(admin, `${rbac}/rolebindings`, binding);
}

it('a connection is audited when it begins and when it has ended', async () => {
  const events = await eventually('three stages', () => {
    const all = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => parseJson(line) as JsonObject);
    const found = all.filter((event) =>
      textAt(event, 'requestURI').includes('/portforward?ports=80'),
    );
    return found.length >= 6 ? found : undefined;
  });
  const stages = events.map((event) => {
    const code =
      event['responseStatus'] === undefined
        ? ''
        : JSON.stringify(at(event, 'responseStatus', 'code'));
    return `${textAt(event, 'verb')} ${textAt(event, 'stage')} ${code}`;
  });
  expect(stages.slice(0, 3)).toEqual([
    'create RequestReceived ',
    'create ResponseStarted 101',
    'create ResponseComplete 101',
  ]);
});
