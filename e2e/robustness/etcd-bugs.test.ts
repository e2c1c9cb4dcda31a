/**
 * The thirteen bugs that etcd's own robustness tests found, two of an event store, and a hole that
 * Jepsen found: what each would be here, and a test that would show it. The number is the issue's.
 *
 * One server on the embedded log, killed as it comes. Those that take several replicas are in
 * replica-bugs.test.ts, those about compaction in retention-bugs.test.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, listAt, textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { type RunningServer, SERVER_PROGRAM, startServer } from '../support/server.ts';
import { shown, WatchStream } from '../watch/watch-stream.ts';
import { HistoryRecorder } from './history.ts';
import { Cluster } from './cluster.ts';
import { ReplicaClient } from './replica-client.ts';
import { TrafficClient } from './traffic.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-etcd-bugs-'));
let server: RunningServer;
let client: AdminClient;

beforeAll(async () => {
  server = await startServer({ dataDir });
  client = adminClient(server);
});

afterAll(async () => {
  client.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function crash(): Promise<void> {
  await server.kill9();
  await server.restart();
  client.close();
  client = adminClient(server);
}

function map(name: string, data: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

async function create(name: string, data: JsonObject = {}): Promise<number> {
  const { status, body } = await client.post(MAPS, map(name, data));
  expect(status, JSON.stringify(body)).toBe(201);
  return versionOf(body);
}

async function remove(name: string): Promise<void> {
  expect((await client.delete(`${MAPS}/${name}`)).status).toBe(200);
}

function versionOf(body: unknown): number {
  return Number(textAt(body as JsonObject, 'metadata', 'resourceVersion'));
}

async function newest(): Promise<number> {
  return versionOf((await client.get(`${MAPS}?limit=1`)).body);
}

function watch(version: number, query = ''): Promise<WatchStream> {
  return WatchStream.open(client, `${MAPS}?watch=true&resourceVersion=${String(version)}${query}`);
}

/** `names` in any order while something else goes on; those that were not answered are left out. */
async function createMany(names: readonly string[], data: JsonObject = {}): Promise<string[]> {
  const asked = names.map(async (name) => {
    const answered = client.post(MAPS, map(name, data)).then(({ status }) => status === 201);
    return (await answered.catch(() => false)) ? [name] : [];
  });
  return (await Promise.all(asked)).flat();
}

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index)}`);

async function versionsSeen(since: number, until: string): Promise<string[]> {
  const stream = await watch(since);
  await stream.until(until, (line) => line.includes(`"name":"${until}"`));
  stream.close();
  return stream.events.map(shown);
}

describe('a crash', () => {
  it('#13766: under load does not leave the versions inconsistent with what they name', async () => {
    const since = await newest();
    const writing = createMany(numbered('a13766', 300));
    await sleep(60);
    await server.kill9();
    const acknowledged = await writing;
    await server.restart();
    await create('a13766-after');
    const first = await versionsSeen(since, 'a13766-after');
    await crash();
    expect(await versionsSeen(since, 'a13766-after')).toEqual(first);
    const names = new Set(first.map((one) => one.split(/[ @]/)[1]));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    const versions = first.map((one) => Number(one.split('@')[1]));
    expect(new Set(versions).size).toBe(versions.length);
  });

  it('#14370: does not lose what a single node has just acknowledged', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = `a14370-${String(round)}`;
      const version = await create(name);
      await crash();
      const { status, body } = await client.get(`${MAPS}/${name}`);
      expect([status, versionOf(body)]).toEqual([200, version]);
    }
  });

  it('#14571: does not change which users are let in', async () => {
    const strangers = async () => (await fetchAnonymously(server)).status;
    const before = [(await client.get(MAPS)).status, await strangers()];
    await crash();
    expect([(await client.get(MAPS)).status, await strangers()]).toEqual(before);
  });

  it('#17780: does not make the version fall', async () => {
    let known = await newest();
    for (let round = 0; round < 3; round += 1) {
      const writing = createMany(numbered(`a17780-${String(round)}`, 50));
      await sleep(20 * round);
      await server.kill9();
      await writing;
      await server.restart();
      const now = await newest();
      expect(now).toBeGreaterThanOrEqual(known);
      expect(await create(`a17780-${String(round)}-after`)).toBeGreaterThan(now);
      known = now;
    }
  });
});

describe('a watch', () => {
  it('#15220: gets no bookmark before what it promises', async () => {
    const since = await newest();
    const writing = new AbortController();
    const written = (async () => {
      for (let count = 0; !writing.signal.aborted; count += 1)
        await create(`a15220-${String(count)}`);
    })();
    const watches = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await sleep(index * 37);
        return watch(since, '&allowWatchBookmarks=true&timeoutSeconds=1');
      }),
    );
    await Promise.all(watches.map(({ ended }) => ended));
    writing.abort();
    await written;
    await create('a15220-end');
    const all = await versionsSeen(since, 'a15220-end');
    let bookmarks = 0;
    for (const { events } of watches) {
      const last = events.at(-1);
      if (last?.type !== 'BOOKMARK') continue;
      bookmarks += 1;
      const promised = versionOf(last.object);
      const due = all.filter((one) => Number(one.split('@')[1]) <= promised);
      expect(events.slice(0, -1).map(shown)).toEqual(due);
    }
    expect(bookmarks).toBeGreaterThan(0);
  });

  it('#15271: that goes on after a crash does not go back in time', async () => {
    await create('a15271-before');
    const seen = await create('a15271-seen');
    await crash();
    const stream = await watch(seen);
    const after = await create('a15271-after');
    await stream.untilCount(1);
    expect(stream.events.map(shown)).toEqual([`ADDED a15271-after@${String(after)}`]);
    stream.close();
  });

  it('#17247: shows an event once, however many watch and whatever else is asked meanwhile', async () => {
    const since = await newest();
    const watches = await Promise.all(Array.from({ length: 30 }, () => watch(since)));
    const reads = Array.from({ length: 60 }, (_, index) =>
      client.get(`${MAPS}?limit=${String(index + 1)}`),
    );
    await createMany(numbered('a17247', 40));
    await Promise.all(reads);
    const end = await create('a17247-end');
    for (const stream of watches) {
      await stream.until('the end', (line) => line.includes(`"resourceVersion":"${String(end)}"`));
      const seen = stream.events.map(shown);
      expect(seen).toHaveLength(41);
      expect(new Set(seen).size).toBe(41);
      stream.close();
    }
  });

  it('#17529: that reads nothing for a long time loses nothing', async () => {
    const since = await newest();
    const stream = await watch(since);
    stream.stall();
    const names = numbered('a17529', 200);
    const data = { fill: 'x'.repeat(60_000) };
    for (let from = 0; from < names.length; from += 20) {
      expect(await createMany(names.slice(from, from + 20), data)).toHaveLength(20);
    }
    const end = await create('a17529-end');
    stream.goOn();
    await stream.until('the end', (line) => line.includes(`"resourceVersion":"${String(end)}"`));
    expect(stream.events.map(shown)).toEqual(await versionsSeen(since, 'a17529-end'));
    expect(stream.lines).toHaveLength(201);
    stream.close();
  });

  it('#18089: from the past is shown the delete, whatever was done with the store since', async () => {
    const since = await newest();
    await create('a18089');
    await remove('a18089');
    await create('a18089-end');
    const before = await versionsSeen(since, 'a18089-end');
    expect(before.map((one) => one.split('@')[0])).toEqual([
      'ADDED a18089',
      'DELETED a18089',
      'ADDED a18089-end',
    ]);
    await crash();
    await server.stop();
    rmSync(join(dataDir, 'store'), { recursive: true });
    await server.restart();
    expect(await versionsSeen(since, 'a18089-end')).toEqual(before);
  });

  it('#19179: that begins right before a delete is shown it, from memory and from the log', async () => {
    await create('a19179');
    const before = await newest();
    await remove('a19179');
    await create('a19179-end');
    const expected = ['DELETED a19179', 'ADDED a19179-end'];
    const seen = async () =>
      (await versionsSeen(before, 'a19179-end')).map((one) => one.split('@')[0]);
    expect(await seen()).toEqual(expected);
    await crash();
    expect(await seen()).toEqual(expected);
  });

  it('#20221: on a version of the future shows nothing before it', async () => {
    const future = (await newest()) + 3;
    const stream = await watch(future);
    for (const name of numbered('a20221', 3)) await create(name);
    const after = await create('a20221-after');
    await stream.untilCount(1);
    expect(stream.events.map(shown)).toEqual([`ADDED a20221-after@${String(after)}`]);
    stream.close();
  });

  it('Jepsen etcd 3.4.3: from version 0 begins with the state, and has no hole behind it', async () => {
    await create('jepsen-before');
    const stream = await watch(0);
    const after = await create('jepsen-after');
    await stream.until('the end', (line) => line.includes(`"resourceVersion":"${String(after)}"`));
    const names = stream.events.map(({ object }) => textAt(object, 'metadata', 'name'));
    const { body } = await client.get(MAPS);
    const listed = listAt(body, 'items').map((item) => textAt(item, 'metadata', 'name'));
    expect(names.sort()).toEqual(listed.sort());
    stream.close();
  });
});

describe('a store that others of its kind lose the thread of', () => {
  it('#14685: is whole though it is killed while it starts and while it settles', async () => {
    for (let round = 0; round < 4; round += 1) {
      await createMany(numbered(`a14685-${String(round)}`, 30));
      await server.kill9();
      const starting = server.restart().then(
        () => undefined,
        () => undefined, // It was killed before it was ready, as was meant.
      );
      await sleep(round * 90);
      await server.kill9();
      await starting;
      await server.restart();
    }
    await expectVerified();
  });

  it('#18667: answers the past as it was, or not at all', async () => {
    const name = 'a18667';
    const first = await create(name, { v: 'first' });
    await client.patch(`${MAPS}/${name}`, { data: { v: 'second' } });
    await remove(name);
    const at = async (version: number) => {
      const query = `resourceVersion=${String(version)}&resourceVersionMatch=Exact&fieldSelector=metadata.name%3D${name}`;
      const { body } = await client.get(`${MAPS}?${query}`);
      return listAt(body, 'items').map((item) => textAt(item, 'data', 'v'));
    };
    const past = async () => [
      await at(first - 1),
      await at(first),
      await at(first + 1),
      await at(first + 2),
    ];
    expect(await past()).toEqual([[], ['first'], ['second'], []]);
    await crash();
    expect(await past()).toEqual([[], ['first'], ['second'], []]);
  });

  it('Marten 9.16.1: has passed over nothing that was under way, after crash on crash', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'everwatch-marten-'));
    const recorder = new HistoryRecorder(join(folder, 'history.jsonl'));
    const cluster = await Cluster.start({ replicas: 1, brokers: 0 });
    const [replica] = cluster.replicas;
    if (replica === undefined) throw new Error('there is a replica');
    for (let round = 0; round < 3; round += 1) {
      const stopping = new AbortController();
      const writers = Array.from({ length: 6 }, (_, index) => {
        const replicas = [replica.client(5_000)];
        const name = `c${String(round)}${String(index)}`;
        return new TrafficClient(name, {
          seed: index,
          prefix: 'm-',
          recorder,
          replicas,
          pauseMs: 0,
        });
      });
      const answered = recorder.history.operations.length;
      const writing = writers.map((writer) => writer.run(stopping.signal));
      await eventually(
        'writes of all sorts',
        () => recorder.history.operations.length > answered + 200 || undefined,
      );
      await replica.server.kill9();
      stopping.abort();
      await Promise.all(writing);
      await replica.server.restart();
    }
    expect(await cluster.stopAndVerify()).toEqual([]);
    const { records, effective } = (await cluster.truth(() => undefined)).counts;
    expect([effective > 50, records]).toEqual([true, effective]);
    await recorder.close();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  });

  it('Marten 9.25.0: has folded what lay outside of every window', async () => {
    // Each is larger than a slice of the log, and together they are larger than the window.
    const since = await newest();
    const data = { fill: 'y'.repeat(900_000) };
    for (const name of numbered('marten', 8)) await create(name, data);
    await server.kill9();
    rmSync(join(dataDir, 'store'), { recursive: true });
    await server.restart();
    await create('marten-end');
    expect(await versionsSeen(since, 'marten-end')).toHaveLength(9);
    await expectVerified();
  });
});

/** Stops the server for it, and starts it again. */
async function expectVerified(): Promise<void> {
  await server.stop();
  const verified = await run(process.execPath, [SERVER_PROGRAM, 'verify', '--data-dir', dataDir]);
  expect(verified, 'everwatch verify').toMatchObject({ code: 0 });
  await server.restart();
  client.close();
  client = adminClient(server);
}

async function fetchAnonymously({ kubeconfig }: RunningServer): Promise<{ status: number }> {
  const access = { ...readKubeconfig(kubeconfig), cert: '', key: '' };
  const anonymous = new ReplicaClient(access, 5_000);
  const told = await anonymous.send({ method: 'GET', path: MAPS });
  anonymous.close();
  return { status: told.kind === 'answer' ? told.status : 0 };
}
