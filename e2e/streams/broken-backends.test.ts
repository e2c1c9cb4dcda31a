/**
 * Nodes and pods that answer as none should, byte by byte: connections that break in the middle of a refusal or
 * right behind an upgrade, answers that no HTTP allows, frames without end. The client is told, nothing is left
 * open, and the server goes on.
 */
import { createServer as createPlain, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { conversation, CRLF, http2To, requestText } from '../hostile/wire.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { testAuthority } from '../support/test-authority.ts';
import { machineAddress, nodeWithPod } from './kubelets.ts';

const PODS = '/api/v1/namespaces/default/pods';
const V5 = 'v5.channel.k8s.io';

/** What the backend does with a request; its head is there. */
type Behaviour = (socket: Socket, head: string) => void;

let behaviour: Behaviour;
let kubelet: Server;
let pod: Server;
let server: RunningServer;
let client: AdminClient;
const open = new Set<Socket>();

function serve(socket: Socket): void {
  open.add(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => open.delete(socket));
  let text = '';
  const read = (chunk: Buffer): void => {
    text += chunk.toString('latin1');
    if (!text.includes(`${CRLF}${CRLF}`)) return;
    socket.off('data', read);
    behaviour(socket, text);
  };
  socket.on('data', read);
}

beforeAll(async () => {
  const { certificate, key } = await (await testAuthority('nodes')).issue('node', ['127.0.0.1']);
  kubelet = createTls({ cert: certificate, key }, (socket: TLSSocket) => {
    serve(socket);
  });
  kubelet.on('tlsClientError', () => undefined);
  pod = createPlain(serve);
  kubelet.listen(0, '127.0.0.1');
  pod.listen(0, machineAddress());
  await Promise.all([once(kubelet, 'listening'), once(pod, 'listening')]);
  server = await startServer({ args: ['--kubelet-preferred-address-types=InternalIP'] });
  client = adminClient(server);
  await nodeWithPod(client, 'one', {
    host: '127.0.0.1',
    port: (kubelet.address() as AddressInfo).port,
  });
});
afterEach(async () => {
  await eventually('no connection is left', () => open.size === 0 || undefined);
  // It is the same process, and answers.
  expect((await client.get('/version')).status).toBe(200);
});
afterAll(async () => {
  client.close();
  await server.stop();
  for (const socket of open) socket.destroy();
  kubelet.close();
  pod.close();
});

function podPath(rest: string): string {
  return `${PODS}/one:${String((pod.address() as AddressInfo).port)}/proxy/${rest}`;
}

/** A WebSocket of a command, and what it said when it was closed. */
async function commanded(protocol = V5, onOpen: (webSocket: WebSocket) => void = () => undefined) {
  const { url, ca, cert, key } = readKubeconfig(server.kubeconfig);
  const path = `${PODS}/one/exec?container=main&command=id&stdout=1&stdin=1`;
  const webSocket = new WebSocket(`${url.replace('https', 'wss')}${path}`, [protocol], {
    ...{ ca, cert, key },
  });
  const messages: Buffer[] = [];
  webSocket.on('message', (data: Buffer) => messages.push(data));
  webSocket.on('error', () => undefined);
  webSocket.on('open', () => {
    onOpen(webSocket);
  });
  await new Promise<void>((resolve) => {
    webSocket.on('close', () => {
      resolve();
    });
  });
  return messages.filter(([channel]) => channel === 3).map((one) => one.subarray(1).toString());
}

const SPDY_101 = lines(
  'HTTP/1.1 101 Switching Protocols',
  'Connection: Upgrade',
  'Upgrade: SPDY/3.1',
  'X-Stream-Protocol-Version: v4.channel.k8s.io',
);

/** A head, and what stands behind it. */
function lines(...all: string[]): string {
  return `${all.join(CRLF)}${CRLF}${CRLF}`;
}

describe('a node that breaks off', () => {
  const breaks: [string, Behaviour, string][] = [
    ['before its answer', (socket) => socket.destroy(), 'EOF'],
    ['in its head', (socket) => socket.end('HTTP/1.1 500 No'), 'EOF'],
    [
      'in a refusal',
      (socket) => {
        // What is left of it never comes.
        socket.write(`${lines('HTTP/1.1 500 No', 'Content-Length: 100')}half`);
        socket.end();
      },
      'half',
    ],
    ['behind an upgrade', (socket) => socket.write(SPDY_101, () => socket.destroy()), 'broken off'],
    ['behind an upgrade, by its end', (socket) => socket.end(SPDY_101), 'broken off'],
    [
      'behind an upgrade, by no SPDY',
      (socket) => socket.end(`${SPDY_101}${'\xff'.repeat(5_000)}`),
      'a control frame is too large',
    ],
  ];

  it.each(breaks)('%s: a command ends, and its client is told', async (_, does, why) => {
    behaviour = does;
    const said = await commanded();
    expect(said.length).toBe(1);
    expect(JSON.parse(said[0] ?? '')).toMatchObject({ status: 'Failure', code: 500 });
    expect(said[0]).toContain(why);
  });

  it.each(breaks)('%s: what passes as it is ends', async (_, does, why) => {
    behaviour = does;
    const path = `${PODS}/one/exec?container=main&command=id&stdout=1`;
    const asked = ['Host: a', 'Connection: Upgrade', 'Upgrade: SPDY/3.1'];
    const answer = await conversation(server, lines(`POST ${path} HTTP/1.1`, ...asked));
    if (answer.startsWith('HTTP/1.1 101 ')) return;
    expect(answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(answer).toContain(why);
  });

  it.each(breaks)('%s: a log ends', async (_, does) => {
    behaviour = does;
    const { status, body } = await client.get(`${PODS}/one/log?container=main`);
    expect([status, textAt(body, 'status')]).toEqual([500, 'Failure']);
  });
});

it('a node that asks and takes no answer is left', async () => {
  const ping = Buffer.from([0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 2]);
  const pings = Buffer.concat(Array.from({ length: 5_000 }, () => ping));
  behaviour = (socket) => {
    socket.write(SPDY_101);
    socket.pause();
    const more = (): void => {
      while (!socket.destroyed && socket.write(pings));
    };
    socket.on('drain', more);
    more();
  };
  expect((await commanded())[0]).toContain('the node takes no answers');
});

describe('a pod answers with', () => {
  const OK = 'HTTP/1.1 200 OK';
  const TWO = 'Content-Length: 2';
  const TWICE = [
    'Date: a',
    'Date: b',
    'ETag: 1',
    'ETag: 2',
    'Content-Type: a/b',
    'Content-Type: c/d',
  ];
  const PAGE = ['Content-Type: text/html', 'Content-Encoding: gzip'];
  const END = `${CRLF}${CRLF}`;
  const refused = 503;
  const broken = 'broken off';
  it.each<[what: string, text: string, code: number | typeof broken]>([
    ['a status below all', `${lines('HTTP/1.1 099 X', TWO)}ok`, refused],
    ['a status above all', `${lines('HTTP/1.1 600 X', TWO)}ok`, refused],
    ['an upgrade', lines('HTTP/1.1 101 X', 'Connection: Upgrade', 'Upgrade: x'), refused],
    ['early hints', `${lines('HTTP/1.1 103 X', 'Link: a')}${lines(OK, TWO)}ok`, 200],
    ['what HTTP/2 forbids', `${lines(OK, 'HTTP2-Settings: AAA', 'Keep-Alive: 5', TWO)}ok`, 200],
    ['what is told once, twice', `${lines(OK, ...TWICE, TWO)}ok`, 200],
    ['names of objects', `${lines(OK, '__proto__: a', 'constructor: b', TWO)}ok`, 200],
    ['letters of no alphabet', `${lines(OK, 'X-A: \xe4\xff', TWO)}ok`, 200],
    ['nothing that has a length', `${lines('HTTP/1.1 204 X', TWO)}ok`, 204],
    [
      'a trailer',
      `${lines(OK, 'Transfer-Encoding: chunked')}2${CRLF}ok${CRLF}0${CRLF}A: b${END}`,
      200,
    ],
    ['two lengths', `${lines(OK, TWO, 'Content-Length: 3')}ok`, refused],
    ['a length and chunks', `${lines(OK, TWO, 'Transfer-Encoding: chunked')}0${END}`, refused],
    ['a head without end', `${OK}${CRLF}A: ${'b'.repeat(200_000)}`, refused],
    ['less than it told', `${lines(OK, 'Content-Length: 10')}ok`, broken],
    ['a broken chunk', `${lines(OK, 'Transfer-Encoding: chunked')}zz${CRLF}ok`, broken],
    ['a page packed wrongly', `${lines(OK, ...PAGE, TWO)}ok`, broken],
  ])('%s: the client is told the same by both protocols', async (_, text, code) => {
    behaviour = (socket) => socket.end(text, 'latin1');
    const [one, two] = await Promise.all([byHttp1(podPath('x')), byHttp2(podPath('x'))]);
    const { status } = await client.send('HEAD', podPath('x'));
    expect([one, two]).toEqual([code, code]);
    expect(status).toBe(code === broken ? 200 : code);
  });

  async function byHttp1(path: string): Promise<number | string> {
    const gone = (): string => broken;
    return client.get(path).then(({ status }) => status, gone);
  }

  async function byHttp2(path: string): Promise<number | string> {
    const session = await http2To(server);
    const stream = session.request({ ':path': path });
    let code: number | string = 0;
    stream.on('response', (headers) => (code = headers[':status'] ?? 0));
    stream.on('error', () => (code = broken));
    stream.resume();
    await new Promise<void>((resolve) => {
      stream.on('close', resolve);
    });
    session.close();
    return code;
  }
});

it.each([
  ['../../secrets', '/secrets'],
  ['a/%2e%2e/%2E./b', '/b'],
  ['a//b///c/', '/a/b/c/'],
  ['a%2Fb%2f..%2fc', '/a/c'],
  ['%2F%2Fevil.example/x', '/evil.example/x'],
  ['http://169.254.169.254/x', '/http:/169.254.169.254/x'],
  ['a%00b', '/a%00b'],
  ['a%0d%0aX:%20y%0d%0a', '/a%0D%0AX:%20y%0D%0A'],
  ['a%3Fb%23c', '/a%3Fb%23c'],
  ['%5c..%5cx', '/%5C..%5Cx'],
  ['caf%C3%A9?a=%0d%0a', '/caf%C3%A9?a=%0d%0a'],
])('a path %s leads to %s and to no other backend', async (asked, seen) => {
  const heads: string[] = [];
  behaviour = (socket, head) => {
    heads.push(head);
    socket.end(lines('HTTP/1.1 200 OK', 'Content-Length: 0', 'Connection: close'));
  };
  const answer = await conversation(server, requestText(`GET ${podPath(asked)}`));
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(heads.map((head) => head.split(CRLF)[0])).toEqual([`GET ${seen} HTTP/1.1`]);
  // It is one head: a line break in a path ends no line of it.
  expect(heads[0]?.split(`${CRLF}${CRLF}`).slice(1)).toEqual(['']);
  expect(heads[0]).not.toMatch(/^X: y/m);
});

it('a port that is none is not connected with', async () => {
  for (const port of ['80%0d%0aX:y', '80@evil', '0x50', '1e3', '0', '65536', 'http', '-1']) {
    for (const of of [`${PODS}/one:${port}`, `/api/v1/nodes/one:${port}`]) {
      const { status, body } = await client.get(`${of}/proxy/`);
      expect([port, status, textAt(body, 'message')]).toEqual([
        port,
        400,
        expect.stringMatching(/^invalid (pod|node) request "/),
      ]);
    }
  }
});

it('endpoints lead to no address that only this server can reach', async () => {
  for (const ip of ['127.0.0.1', '169.254.169.254', '::1', 'fe80::1', '224.0.0.1', '0.0.0.0']) {
    const subsets = [{ addresses: [{ ip }], ports: [{ port: 80 }] }];
    const object = { kind: 'Endpoints', apiVersion: 'v1', metadata: { name: 'local' }, subsets };
    const { status } = await client.post('/api/v1/namespaces/default/endpoints', object);
    expect([ip, status]).toEqual([ip, 422]);
  }
});
