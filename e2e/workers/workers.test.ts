/**
 * A server of several processes on one log and one port: it is one server to its clients. What one worker
 * acknowledged every worker shows, races are decided as in one process, and kill -9 of a worker or of the owner
 * of the log loses, doubles and ages nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, listAt, textAt } from '../support/json.ts';
import { type RunningServer, SERVER_PROGRAM, startServer } from '../support/server.ts';
import { WatchStream } from '../watch/watch-stream.ts';
import {
  counterIn,
  MAPS,
  readSurely,
  SteadyWatcher,
  SteadyWriter,
  versionOf,
} from './steady-clients.ts';
import { isAlive, untilAllReady, workersOf } from './worker-processes.ts';

const CLIENTS = 6;
const QUOTA = 11;
const KILLS = 4;
const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-workers-'));
let server: RunningServer;
/** Each with a connection of its own: they are dealt out to the workers in turn. */
let clients: AdminClient[] = [];

beforeAll(async () => {
  const args = ['--workers', '2', '--etcd-cafile', 'ca'];
  server = await startServer({ dataDir, controllers: 'garbage-collector-controller', args });
  await untilAllReady(server);
  clients = Array.from({ length: CLIENTS }, () => adminClient(server));
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function configMap(name: string, data: Record<string, string> = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

it('shows through every worker what was acknowledged by any', async () => {
  expect(workersOf(server)).toHaveLength(2);
  let stale = 0;
  const rounds = Array.from({ length: 40 }, (_, round) => round);
  for (const round of rounds) {
    const name = `seen-${String(round)}`;
    const writer = clients[round % CLIENTS];
    const made = await writer?.post(MAPS, configMap(name));
    expect(made?.status).toBe(201);
    const reads = await Promise.all(clients.map((client) => client.get(`${MAPS}/${name}`)));
    stale += reads.filter(({ status }) => status !== 200).length;
    const lists = await Promise.all(clients.map((client) => client.get(MAPS)));
    stale += lists.filter(({ body }) => versionOf(body) < versionOf(made?.body)).length;
  }
  expect(stale).toBe(0);
});

it('lets one of those win that update the same version through different workers', async () => {
  const path = `${MAPS}/counted`;
  await clients[0]?.post(MAPS, configMap('counted', { counter: '0' }));
  const conflicts = await Promise.all(
    clients.map(async (client) => {
      let lost = 0;
      for (let done = 0; done < 10;) {
        const { body } = await client.get(path);
        const object = body as JsonObject; // A ConfigMap.
        const next = { ...object, data: { counter: String(counterIn(object) + 1) } };
        const { status } = await client.send('PUT', path, { body: next });
        if (status === 200) done += 1;
        else lost += status === 409 ? 1 : Number.NaN;
      }
      return lost;
    }),
  );
  const { body } = (await clients[0]?.get(path)) ?? {};
  expect(counterIn(body)).toBe(CLIENTS * 10);
  expect(conflicts.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0);
});

it('keeps a quota that all workers race for', async () => {
  const [first] = clients;
  const namespace = 'raced';
  await first?.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': String(QUOTA) } } };
  await first?.post(`/api/v1/namespaces/${namespace}/resourcequotas`, {
    ...{ apiVersion: 'v1', kind: 'ResourceQuota' },
    ...quota,
  });
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  const statuses = await Promise.all(
    clients.flatMap((client, at) =>
      Array.from({ length: 5 }, async (_, n) => {
        const name = `m-${String(at)}-${String(n)}`;
        return (await client.post(maps, configMap(name))).status;
      }),
    ),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(QUOTA);
  expect(statuses.filter((status) => status !== 201 && status !== 403)).toEqual([]);
  expect(listAt((await first?.get(maps))?.body, 'items')).toHaveLength(QUOTA);
});

it('shows the figures of all workers, each with its own', async () => {
  const { body } = (await clients[0]?.get('/metrics')) ?? {};
  const text = typeof body === 'string' ? body : '';
  for (const worker of [1, 2]) {
    expect(text).toMatch(
      new RegExp(`^everwatch_applied_version\\{worker="${String(worker)}"\\} \\d+$`, 'm'),
    );
  }
  expect(text.split('# TYPE everwatch_applied_version ')).toHaveLength(2);
});

it('shows the flags of the server through any worker', async () => {
  const pages = await Promise.all(clients.map((client) => client.get('/flagz', { accept: '*/*' })));
  const said = pages.map(({ body }) => {
    return typeof body === 'string' ? /^workers\W+(\d+)$/m.exec(body)?.[1] : undefined;
  });
  expect(said).toEqual(clients.map(() => '2'));
});

it('has no forks, and says so as of any resource that there is not', async () => {
  const { body } = (await clients[0]?.get('/apis')) ?? {};
  expect(JSON.stringify(body)).not.toContain('dev.everwatch');
});

it('lets no client wait whose connection was handed to a worker that never took it', async () => {
  const [, victim = 0] = workersOf(server);
  process.kill(victim, 'SIGSTOP');
  // Each with a connection of its own: one is handed to the worker that stands still.
  const outcomes: (number | 'broken')[] = [];
  const asking = Array.from({ length: 4 }, async () => {
    const client = adminClient(server);
    const asked = client.get('/livez');
    outcomes.push(await asked.then(({ status }) => status).catch(() => 'broken' as const));
    client.close();
  });
  await eventually('the others are answered', () => outcomes.length === 3 || undefined);
  process.kill(victim, 'SIGKILL');
  await Promise.all(asking);
  expect(outcomes).toEqual([200, 200, 200, 'broken']);
  await eventually('another worker', () => {
    const now = workersOf(server);
    return now.length === 2 && !now.includes(victim) ? true : undefined;
  });
});

it('collects garbage by its first worker, and by the one that replaces it', async () => {
  const text = await eventually('the figures of both', async () => {
    const { body } = await readSurely(clients[0] as AdminClient, '/metrics');
    const figures = typeof body === 'string' ? body : '';
    const told = figures.match(/^everwatch_applied_version\{worker="\d"\}/gm);
    return told?.length === 2 ? figures : undefined;
  });
  const collectors = text.match(/^workqueue_adds_total\{.*name="garbage-collector"\}/gm);
  expect(collectors).toEqual(['workqueue_adds_total{worker="1",name="garbage-collector"}']);

  for (const [at, victim] of workersOf(server).entries()) {
    process.kill(victim, 'SIGKILL');
    await eventually('it is gone', () => (workersOf(server).includes(victim) ? undefined : true));
    const client = adminClient(server);
    const name = `owner-${String(at)}`;
    const owner = await client.post(MAPS, configMap(name));
    const uid = textAt(owner.body, 'metadata', 'uid');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
    const metadata = { name: `of-${name}`, ownerReferences };
    const made = await client.post(MAPS, { ...configMap(name), metadata });
    expect(made.status).toBe(201);
    await client.send('DELETE', `${MAPS}/${name}`);
    await eventually('what it owned is gone', async () => {
      const { status } = await client.get(`${MAPS}/of-${name}`);
      return status === 404 ? true : undefined;
    });
    client.close();
  }
});

it('loses, doubles and ages nothing when workers are killed, and watchers go on elsewhere', async () => {
  // The connection may have been one of a worker that was killed above.
  const { body } = await readSurely(clients[0] as AdminClient, MAPS);
  const from = versionOf(body);
  const writers = clients.map((_, at) => new SteadyWriter(server, `steady-${String(at)}`));
  const watchers = Array.from({ length: 4 }, () => new SteadyWatcher(server));
  const watching = watchers.map((watcher) => watcher.run(from));
  const reader = adminClient(server);
  const stale: string[] = [];
  const writing = writers.map((writer) =>
    writer.run(async ({ name }, version) => {
      const read = await readSurely(reader, `${MAPS}/${name}`);
      if (versionOf(read.body) < version) stale.push(`${name} at ${String(version)}`);
    }),
  );
  const killed: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const written = totalOf(writers);
    await eventually('more writes', () => (totalOf(writers) > written + 60 ? true : undefined));
    const [older = 0, younger = 0] = workersOf(server);
    const victim = kill % 2 === 0 ? older : younger;
    process.kill(victim, 'SIGKILL');
    killed.push(victim);
    await eventually('another worker', () => {
      const now = workersOf(server);
      return now.length === 2 && !now.includes(victim) ? true : undefined;
    });
  }
  await eventually('writes of all', () => (totalOf(writers) > 400 ? true : undefined));
  for (const writer of writers) writer.stop();
  await Promise.all(writing);
  const last = Math.max(...writers.flatMap(({ told }) => [...told.written.keys()]));
  for (const watcher of watchers) {
    await eventually('the last write', () =>
      (watcher.seen.at(-1) ?? 0) >= last ? true : undefined,
    );
    watcher.stop();
  }
  await Promise.all(watching);

  expect(stale).toEqual([]);
  // What the first said at the start, no worker says again.
  const once = [
    'export KUBECONFIG=',
    'AnonymousAuth is not allowed',
    'without effect: --etcd-cafile',
  ];
  for (const said of once) {
    expect(server.logs().split(said), said).toHaveLength(2);
  }
  await expectHistory(reader, from, writers);
  const [history = []] = watchers.map(({ seen }) => seen);
  for (const { seen } of watchers) expect(seen).toEqual(history);
  expect(writers.some(({ broken }) => broken > 0)).toBe(true);
  expect(watchers.some(({ reconnects }) => reconnects > 1)).toBe(true);
  reader.close();
});

it('ends with its primary, and the next one has all that was acknowledged', async () => {
  const { body } = await readSurely(clients[0] as AdminClient, MAPS);
  const from = versionOf(body);
  for (let kill = 0; kill < 2; kill += 1) {
    const writers = clients.map(
      (_, at) => new SteadyWriter(server, `again-${String(kill)}-${String(at)}`),
    );
    const writing = writers.map((writer) => writer.run(() => Promise.resolve()));
    await eventually('writes', () => (totalOf(writers) > 100 ? true : undefined));
    const workers = workersOf(server);
    for (const writer of writers) writer.stop();
    await server.kill9();
    await Promise.all(writing);
    await eventually('no worker is left', () => (workers.some(isAlive) ? undefined : true));
    await server.restart();
    await untilAllReady(server, kill + 2);
    const client = adminClient(server);
    await expectHistory(client, from, writers);
    client.close();
  }
});

it('stops by one signal, which a terminal sends to all of its processes, one still starting', async () => {
  const [victim = 0] = workersOf(server);
  process.kill(victim, 'SIGKILL');
  const workers = await eventually('another worker', () => {
    const now = workersOf(server);
    return now.length === 2 && !now.includes(victim) ? now : undefined;
  });
  for (const worker of workers) process.kill(worker, 'SIGTERM');
  expect(await server.stop()).toBe(0);
  expect(workers.filter(isAlive)).toEqual([]);
  const verified = await run(process.execPath, [SERVER_PROGRAM, 'verify', '--data-dir', dataDir]);
  expect(verified, 'everwatch verify').toMatchObject({ code: 0 });
});

function totalOf(writers: readonly SteadyWriter[]): number {
  return writers.reduce((sum, { told }) => sum + told.written.size, 0);
}

/** All that was acknowledged is there with its counter, and no write is there twice. */
async function expectHistory(
  client: AdminClient,
  from: number,
  writers: readonly SteadyWriter[],
): Promise<void> {
  const end = versionOf((await readSurely(client, MAPS)).body);
  const names = new Set(writers.map(({ told }) => told.name));
  const made = await client.post(MAPS, { ...configMap(''), metadata: { generateName: 'end-' } });
  const watch = await WatchStream.open(
    client,
    `${MAPS}?watch=true&resourceVersion=${String(from)}`,
  );
  const mark = textAt(made.body, 'metadata', 'resourceVersion');
  await watch.until('the end', (line) => line.includes(`"resourceVersion":"${mark}"`));
  watch.close();
  const counters = new Map<number, number>();
  const lastOf = new Map<string, number>();
  const doubled: string[] = [];
  for (const { object } of watch.events) {
    const name = textAt(object, 'metadata', 'name');
    if (!names.has(name)) continue;
    const counter = counterIn(object);
    counters.set(versionOf(object), counter);
    if (counter <= (lastOf.get(name) ?? 0)) doubled.push(`${name} ${String(counter)}`);
    lastOf.set(name, counter);
  }
  const lost = writers.flatMap(({ told }) =>
    [...told.written].filter(([version, counter]) => counters.get(version) !== counter),
  );
  expect(lost, 'lost').toEqual([]);
  expect(doubled, 'doubled').toEqual([]);
  expect(end).toBeGreaterThan(from);
  console.log(`${String(totalOf(writers))} acknowledged writes: 0 lost, 0 doubled`);
}
