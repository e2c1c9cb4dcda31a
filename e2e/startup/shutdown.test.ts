/**
 * How the server goes: it says so before it does, it lets requests and watches come to their end,
 * and a second signal is a hurry that costs nothing.
 */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { configMap, created, expectObject, mapsIn } from '../api/objects.ts';
import { halfSent } from '../api/raw-http.ts';
import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
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

function terminate({ pid }: RunningServer): void {
  if (pid <= 0) throw new Error('no server is running'); // Else everything would be signalled.
  process.kill(pid, 'SIGTERM');
}

/** Resolves when no process listens on the port any more. */
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

it('lets requests in flight finish and watches end cleanly, and exits with 0', async () => {
  const dataDir = join(folder, 'clean');
  const args = ['--token-auth-file', tokens, '--shutdown-delay-duration', '200ms'];
  const server = await startServer({ dataDir, args });
  const client = adminClient(server);
  const access = readKubeconfig(server.kubeconfig);
  const first = await created(client, MAPS, configMap('first'));
  const version = textAt(first, 'metadata', 'resourceVersion');
  const path = `${MAPS}?watch=true&resourceVersion=${version}&allowWatchBookmarks=true`;
  const http1 = await WatchStream.open(client, path);
  const http2 = await WatchStream.openHttp2(access, path);
  const webSocket = await WebSocketWatch.open(server, MAPS, 'letmein');
  const write = halfSent(access, MAPS, JSON.stringify(configMap('in-flight')));
  await write.isWanted;

  terminate(server);
  await untilClosed(server.url);
  // The port is closed and the request is not finished: the server waits.
  await sleep(100);
  expect(http1.lines.filter((line) => !line.includes('"BOOKMARK"'))).toEqual([]);
  write.finish();
  const { status, body } = await write.answer;
  expect(status, body.toString()).toBe(201);

  expect(await http1.ended).toBe('complete');
  expect(await http2.ended).toBe('complete');
  expect(await webSocket.ended).toBe(1000);
  // What was written last was shown before the end.
  for (const { lines } of [http1, http2]) expect(lines.join('\n')).toContain('"in-flight"');
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

it('fails readyz first and serves all else meanwhile; a second signal ends it at once', async () => {
  const dataDir = join(folder, 'hurry');
  const flags = ['--data-dir', dataDir, '--secure-port', '0'];
  const running = startServe(...flags, '--shutdown-delay-duration', '1h');
  const kubeconfig = await announced(running);
  const client = adminClient({ kubeconfig });
  await eventually('readyz', async () => (await client.get('/readyz')).status === 200 || undefined);
  expect((await client.get('/readyz/shutdown')).status).toBe(200);
  running.kill('SIGTERM');
  await eventually('readyz fails', async () => {
    return (await client.get('/readyz')).status === 500 || undefined;
  });
  expect((await client.get('/readyz')).body).toContain('[-]shutdown failed: reason withheld\n');
  expect((await client.get('/livez')).status).toBe(200);
  const object = await created(adminClient({ kubeconfig }), MAPS, configMap('kept'));
  running.kill('SIGTERM');
  expect((await running.ended).code).toBe(1);

  const again = await startServer({ dataDir });
  expect(expectObject(await adminClient(again).get(`${MAPS}/kept`))).toEqual(object);
  expect(await again.stop()).toBe(0);
});
