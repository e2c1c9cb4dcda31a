/** What clients see while a server stops that goes on listening, and gives watches their time. */
import { connect } from 'node:http2';
import { once } from 'node:events';
import { expect, it } from 'vitest';

import { configMap, mapsIn } from '../api/objects.ts';
import { halfSent } from '../api/raw-http.ts';
import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { WatchStream } from '../watch/watch-stream.ts';

const MAPS = mapsIn('default');

function terminate({ pid }: RunningServer): void {
  if (pid <= 0) throw new Error('no server is running'); // Else everything would be signalled.
  process.kill(pid, 'SIGTERM');
}

const hasSaid = (server: RunningServer, signal: string) => () =>
  server.logs().includes(`"${signal}"`) || undefined;

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

it('answers new requests with 429 until those under way are answered', async () => {
  const server = await startServer({ args: ['--shutdown-send-retry-after'] });
  const access = readKubeconfig(server.kubeconfig);
  const write = halfSent(access, MAPS, JSON.stringify(configMap('in-flight')));
  await write.isWanted;
  terminate(server);
  await eventually('no new requests', hasSaid(server, 'NotAcceptingNewRequest'));

  const late = adminClient(server);
  const { status, headers, body } = await late.get(MAPS);
  expect(status).toBe(429);
  expect(headers).toMatchObject({ 'retry-after': '5', connection: 'close' });
  expect(body).toBe('The apiserver is shutting down, please try again later.\n');
  expect((await late.get('/livez')).status).toBe(200);
  late.close();

  const session = connect(access.url, { ca: access.ca, cert: access.cert, key: access.key });
  session.on('error', () => undefined);
  const goneAway = once(session, 'goaway');
  const stream = session.request({ ':path': MAPS });
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  expect(answered[':status']).toBe(429);
  stream.resume();
  expect((await goneAway)[0]).toBe(0);

  write.finish();
  expect((await write.answer).status).toBe(201);
  await eventually('the process is gone', () => isGone(server.pid) || undefined);
  expect(await server.stop()).toBe(0);
  const [drained, closed] = ['InFlightRequestsDrained', 'HTTPServerStoppedListening'].map((name) =>
    server.logs().indexOf(`"${name}"`),
  );
  expect(drained).toBeGreaterThan(0);
  expect(closed).toBeGreaterThan(drained ?? 0);
});

it('ends watches within the time that it gives them, and lets none in', async () => {
  const args = ['--shutdown-watch-termination-grace-period=20s', '--shutdown-send-retry-after'];
  const server = await startServer({ args });
  const client = adminClient(server);
  const watches = [];
  for (let index = 0; index < 30; index += 1) {
    watches.push(await WatchStream.open(client, `${MAPS}?watch=true`));
  }
  terminate(server);
  for (const { ended } of watches) expect(await ended).toBe('complete');
  await eventually('drained', hasSaid(server, 'InFlightRequestsDrained'));
  await eventually('the process is gone', () => isGone(server.pid) || undefined);
  expect(await server.stop()).toBe(0);
});
