/**
 * How the server goes: it says so before it does, it lets requests and watches come to their end,
 * and a second signal is a hurry that costs nothing.
 */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { configMap, created, expectFailure, expectObject, mapsIn } from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { type ClusterAccess, readKubeconfig } from '../support/kubeconfig.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { WebSocketWatch } from '../support/websocket-watch.ts';
import { WatchStream } from '../watch/watch-stream.ts';
import { announced, startServe } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-shutdown-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, 'letmein,ann,u1,"system:masters"\n');
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const MAPS = mapsIn('default');

function terminate(server: RunningServer): void {
  process.kill(server.pid, 'SIGTERM');
}

/** Resolves when nobody listens on the port any more. */
async function untilClosed(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await eventually('the port is closed', async () => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    try {
      await once(socket, 'connect');
      return undefined;
    } catch {
      return true;
    } finally {
      socket.destroy();
    }
  });
}

it('fails readyz first, and serves everything else until the delay is over', async () => {
  const dataDir = join(folder, 'delay');
  const server = await startServer({ dataDir, args: ['--shutdown-delay-duration', '3s'] });
  const client = adminClient(server);
  expect((await client.get('/readyz/shutdown')).status).toBe(200);
  terminate(server);
  await eventually('readyz fails', async () => {
    return (await client.get('/readyz')).status === 500 || undefined;
  });
  const readyz = await client.get('/readyz');
  expect(readyz).toMatchObject({ status: 500 });
  expect(readyz.body).toContain('[-]shutdown failed: reason withheld');
  expect((await client.get('/livez')).status).toBe(200);
  const object = await created(adminClient(server), MAPS, configMap('in-the-delay'));
  const code = await server.stop(); // A second signal, but the first one may be through already.
  expect([0, 1, -1]).toContain(code);

  const again = await startServer({ dataDir });
  expect(expectObject(await adminClient(again).get(`${MAPS}/in-the-delay`))).toEqual(object);
  expect(await again.stop()).toBe(0);
});

/** A POST whose head the server has, and whose body it waits for. */
interface HalfSent {
  finish(): void;
  readonly answer: Promise<{ status: number | undefined; body: string }>;
}

async function halfSent(access: ClusterAccess, body: string): Promise<HalfSent> {
  const { url, ca, cert, key } = access;
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    expect: '100-continue',
  };
  const half = Math.floor(body.length / 2);
  const options = { method: 'POST', headers, ca, cert, key, agent: false };
  const outgoing = request(url + MAPS, options);
  const answer = once(outgoing, 'response').then(async ([incoming]) => {
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    // An IncomingMessage, by the event's name.
    return { status: (incoming as { statusCode?: number }).statusCode, body: text };
  });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.write(body.slice(0, half));
  return {
    finish: () => {
      outgoing.end(body.slice(half));
    },
    answer,
  };
}

it('lets requests in flight finish and watches end cleanly, and exits with 0', async () => {
  const dataDir = join(folder, 'clean');
  const server = await startServer({ dataDir, args: ['--token-auth-file', tokens] });
  const client = adminClient(server);
  const access = readKubeconfig(server.kubeconfig);
  const first = await created(client, MAPS, configMap('first'));
  const version = textAt(first, 'metadata', 'resourceVersion');
  const path = `${MAPS}?watch=true&resourceVersion=${version}&allowWatchBookmarks=true`;
  const http1 = await WatchStream.open(client, path);
  const http2 = await http2Watch(access, path);
  const webSocket = await WebSocketWatch.open(server, MAPS, 'letmein');
  const write = await halfSent(access, JSON.stringify(configMap('in-flight')));

  terminate(server);
  await untilClosed(server.url);
  // The port is closed and the request is not finished: the server waits.
  await sleep(100);
  expect(http1.lines.filter((line) => !line.includes('"BOOKMARK"'))).toEqual([]);
  write.finish();
  const { status, body } = await write.answer;
  expect(status, body).toBe(201);

  expect(await http1.ended).toBe('complete');
  expect(await http2.ended).toEqual({ hasEnd: true, code: 0 });
  expect(await webSocket.ended).toBe(1000);
  // What was written last was shown before the end.
  for (const text of [http1.lines.join('\n'), http2.text()]) expect(text).toContain('"in-flight"');
  await eventually('the process is gone', () => isGone(server.pid) || undefined);
  expect(await server.stop()).toBe(0);

  const again = await startServer({ dataDir });
  expectObject(await adminClient(again).get(`${MAPS}/in-flight`));
  expect(await again.stop()).toBe(0);
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

async function http2Watch({ url, ca, cert, key }: ClusterAccess, path: string) {
  const session = connectHttp2(url, { ca, cert, key });
  const stream = session.request({ ':path': path, accept: 'application/json' });
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  expect(headers[':status']).toBe(200);
  let text = '';
  let hasEnd = false;
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => (text += chunk));
  stream.on('end', () => (hasEnd = true));
  const ended = once(stream, 'close').then(() => {
    session.close();
    return { hasEnd, code: stream.rstCode };
  });
  return { ended, text: () => text };
}

it('exits at once at a second signal, and what was acknowledged is there', async () => {
  const dataDir = join(folder, 'hurry');
  const flags = ['--data-dir', dataDir, '--secure-port', '0'];
  const running = startServe(...flags, '--shutdown-delay-duration', '1h');
  const kubeconfig = await announced(running);
  const client: AdminClient = adminClient({ kubeconfig });
  await eventually('readyz', async () => (await client.get('/readyz')).status === 200 || undefined);
  const object = await created(client, MAPS, configMap('kept'));
  running.kill('SIGTERM');
  await eventually('readyz fails', async () => {
    return (await client.get('/readyz')).status === 500 || undefined;
  });
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(1);

  const again = await startServer({ dataDir });
  expect(expectObject(await adminClient(again).get(`${MAPS}/kept`))).toEqual(object);
  expectFailure(await adminClient(again).get(`${MAPS}/nonesuch`), { code: 404, reason: 'NotFound' });
  expect(await again.stop()).toBe(0);
});
