/**
 * When something runs out: the disk, the file descriptors, the patience of an operator.
 * What was acknowledged stays, what can be read is read, and afterwards everything goes on.
 */
import { once } from 'node:events';
import { rmSync, mkdtempSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';

import {
  configMap,
  created,
  expectFailure,
  expectObject,
  inParallel,
  namesIn,
} from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { type RunningCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import {
  SERVER_PROGRAM,
  startServer,
  untilReady,
  type RunningServer,
  WITHOUT_IDENTITY,
} from '../support/server.ts';
import { Bystander } from './harm.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-exhaustion-'));
const running = new Set<RunningCommand>();

afterEach(async () => {
  for (const command of running) {
    command.kill('SIGKILL');
    await command.ended;
  }
  running.clear();
});

afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

/** The server on the same directory and port, below a limit of the shell's `ulimit`. */
async function startLimited(server: RunningServer, limit: string): Promise<Limited> {
  const { port } = new URL(server.url);
  const args = [
    'serve',
    '--controllers=-*',
    '--data-dir',
    dataDir,
    '--secure-port',
    port,
    '--bind-address',
    '127.0.0.1',
    WITHOUT_IDENTITY,
  ];
  // A file that may not grow is to be an error, as a full disk is one, and not a signal.
  const script = `trap '' XFSZ; ulimit ${limit}; exec "$@"`;
  const line = [process.execPath, SERVER_PROGRAM, ...args];
  const command = startCommand('bash', ['-c', script, 'limited', ...line]);
  running.add(command);
  const client = adminClient(server);
  await untilReady(client);
  return { command, client };
}

interface Limited {
  readonly command: RunningCommand;
  readonly client: AdminClient;
}

async function names(client: AdminClient): Promise<Set<string>> {
  return new Set(namesIn(expectObject(await client.get(MAPS))));
}

it('says 503 while the disk is full, reads on, and has everything when there is room', async () => {
  const server = await startServer({ dataDir });
  await server.stop();
  const { command, client } = await startLimited(server, '-f 12000');
  const data = { x: 'x'.repeat(200_000) };
  const acknowledged: string[] = [];
  let refused = 0;
  for (let index = 0; refused < 5 && index < 500; index += 1) {
    const name = `full-${String(index)}`;
    const answer = await client.post(MAPS, configMap(name, { data }));
    if (answer.status === 201) acknowledged.push(name);
    else {
      refused += 1;
      expectFailure(answer, { code: 503, reason: 'ServiceUnavailable' });
    }
  }
  expect(refused, `of ${String(acknowledged.length)} writes`).toBe(5);
  expect(acknowledged.length).toBeGreaterThan(5);
  expect(await names(client)).toEqual(new Set(acknowledged));
  expect((await client.get('/readyz')).status).toBe(200);
  expect((await client.get('/healthz/etcd')).status).toBe(500);
  expect((await client.get('/livez/etcd')).status).toBe(200);
  const watch = await client.open(`${MAPS}?watch=true&resourceVersion=0`);
  await once(watch, 'data');
  watch.destroy();
  client.close();
  command.kill('SIGTERM');
  expect((await command.ended).code).toBe(0);

  await server.restart();
  const again = adminClient(server);
  expect(await names(again)).toEqual(new Set(acknowledged));
  await created(again, MAPS, configMap('room', { data }));
  expectObject(await again.delete(MAPS));
  again.close();
  await server.stop();
});

it('serves whom it knows while no more connections can be taken, and others afterwards', async () => {
  const server = await startServer({ dataDir });
  await server.stop();
  const { command, client } = await startLimited(server, '-n 60');
  const { hostname, port } = new URL(server.url);
  const sockets: Socket[] = [];
  for (let index = 0; index < 200; index += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    sockets.push(socket.resume());
  }
  await eventually('a connection that is refused', () => {
    return sockets.some(({ destroyed }) => destroyed) || undefined;
  });
  expect((await client.get('/readyz')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  const other = adminClient(server);
  await eventually('a new connection', async () => {
    return (await other.get('/readyz')).status === 200 || undefined;
  });
  client.close();
  other.close();
  command.kill('SIGTERM');
  expect((await command.ended).code).toBe(0);
});

it('has every write that was acknowledged before or while it was stopped', async () => {
  const server = await startServer({ dataDir });
  const acknowledged = new Set<string>();
  let isOver = false;
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    const client = adminClient(server);
    for (let index = 0; !isOver; index += 1) {
      const name = `stop-${String(writer)}-${String(index)}`;
      const answer = await client.post(MAPS, configMap(name)).catch(() => undefined);
      if (answer?.status === 201) acknowledged.add(name);
      else isOver = true;
    }
    client.close();
  });
  await eventually('some writes', () => acknowledged.size > 200 || undefined);
  const restarted = server.restart();
  await Promise.all(writers);
  await restarted;
  const client = adminClient(server);
  const there = await names(client);
  expect([...acknowledged].filter((name) => !there.has(name))).toEqual([]);
  expectObject(await client.delete(MAPS));
  client.close();
  await server.stop();
});

it('has nothing left of 5,000 objects that came and went', async () => {
  const server = await startServer({ dataDir });
  const bystander = new Bystander(server);
  const { client } = bystander;
  const one = async (index: number): Promise<void> => {
    const name = `same-${String(index % 3)}`;
    if (index % 2 === 0) await client.post(MAPS, configMap(name));
    else await client.delete(`${MAPS}/${name}`);
  };
  await inParallel(1_000, one, 64);
  await inParallel(5_000, (index) => client.post(MAPS, configMap(`many-${String(index)}`)), 64);
  const creating = inParallel(200, (index) =>
    client.post(MAPS, configMap(`late-${String(index)}`)),
  );
  expectObject(await client.delete(MAPS));
  await creating;
  expectObject(await client.delete(MAPS));
  expect((await names(client)).size).toBe(0);
  const objects = (await bystander.metrics()).find((line) =>
    line.startsWith('apiserver_storage_objects{resource="configmaps"}'),
  );
  // Those in which the server says how it knows users, and since when it notes uses of tokens.
  expect(objects).toMatch(/ 2$/);
  await bystander.untilNoWatches();
  await bystander.isUnharmed();
  await server.stop();
});
