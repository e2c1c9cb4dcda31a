/**
 * Those of the bugs of etcd-bugs.test.ts that need several replicas and a log that others write
 * too, and what was measured of Kafka: two servers on one topic, the broker behind a proxy.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { describeWith } from '../support/requirements.ts';
import { shown, WatchStream } from '../watch/watch-stream.ts';
import { Cluster, type Replica } from './cluster.ts';
import { repeatRecords } from './topic-echo.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

await describeWith('kafka', 'two replicas on one topic', () => {
  let cluster: Cluster;
  let replicas: readonly [Replica, Replica];
  let here: AdminClient;
  let there: AdminClient;

  beforeAll(async () => {
    cluster = await Cluster.start({ replicas: 2, brokers: 1 });
    const [first, second] = cluster.replicas;
    if (first === undefined || second === undefined) throw new Error('there are two replicas');
    replicas = [first, second];
    here = adminClient(first.server);
    there = adminClient(second.server);
  });

  afterAll(async () => {
    here.close();
    there.close();
    await cluster.stop();
  });

  async function create(client: AdminClient, name: string): Promise<number> {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
    const answer = await client.post(MAPS, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return versionOf(answer.body);
  }

  function versionOf(body: unknown): number {
    return Number(textAt(body as JsonObject, 'metadata', 'resourceVersion'));
  }

  function watch(client: AdminClient, version: number): Promise<WatchStream> {
    return WatchStream.open(client, `${MAPS}?watch=true&resourceVersion=${String(version)}`);
  }

  async function seenFrom(client: AdminClient, version: number, end: string): Promise<string[]> {
    const stream = await watch(client, version);
    await stream.until(end, (line) => line.includes(`"name":"${end}"`));
    stream.close();
    return stream.events.map(shown);
  }

  it('#15271: a watch that moves to a replica that is behind does not go back in time', async () => {
    const [, behind] = replicas;
    await create(there, 'a15271-before');
    behind.signal('SIGSTOP');
    const names = Array.from({ length: 20 }, (_, index) => `a15271-${String(index)}`);
    let seen = 0;
    for (const name of names) seen = await create(here, name);
    const opening = watch(there, seen);
    behind.signal('SIGCONT');
    const stream = await opening;
    const after = await create(here, 'a15271-after');
    await stream.untilCount(1);
    expect(stream.events.map(shown)).toEqual([`ADDED a15271-after@${String(after)}`]);
    stream.close();
  });

  it('#14571: all replicas let in the same clients, also after a crash', async () => {
    const [first, second] = replicas;
    const access = (replica: Replica) => readKubeconfig(replica.server.kubeconfig);
    expect(access(first).ca).toBe(access(second).ca);
    await second.server.kill9();
    await second.server.restart();
    there.close();
    there = adminClient(second.server);
    expect((await there.get(MAPS)).status).toBe(200);
    expect(access(first).ca).toBe(access(second).ca);
  });

  it('#14370: what a replica acknowledged before it died is known to the others', async () => {
    const [first] = replicas;
    for (let round = 0; round < 3; round += 1) {
      const name = `a14370-${String(round)}`;
      const version = await create(here, name);
      await first.server.kill9();
      expect(versionOf((await there.get(`${MAPS}/${name}`)).body)).toBe(version);
      await first.server.restart();
      here.close();
      here = adminClient(first.server);
    }
  });

  it('#13766: replicas that die under load have the same versions when they are back', async () => {
    const [first, second] = replicas;
    const since = await create(here, 'a13766-since');
    const names = Array.from({ length: 120 }, (_, index) => `a13766-${String(index)}`);
    const writing = names.map((name, index) =>
      create(index % 2 === 0 ? here : there, name).catch(() => 0),
    );
    await Promise.race(writing.slice(20));
    await Promise.all([first.server.kill9(), second.server.kill9()]);
    const acknowledged = (await Promise.all(writing)).filter((version) => version > 0);
    await Promise.all([first.server.restart(), second.server.restart()]);
    here.close();
    there.close();
    here = adminClient(first.server);
    there = adminClient(second.server);
    await create(there, 'a13766-end');
    const seen = await seenFrom(here, since, 'a13766-end');
    expect(await seenFrom(there, since, 'a13766-end')).toEqual(seen);
    const versions = new Set(seen.map((one) => Number(one.split('@')[1])));
    expect(versions.size).toBe(seen.length);
    expect(acknowledged.filter((version) => !versions.has(version))).toEqual([]);
  });

  it('#17247: a record that lies in the topic twice is one event', async () => {
    const [proxy] = cluster.kafka?.proxies ?? [];
    const since = await create(here, 'a17247-since');
    const repeated = proxy?.counts.repeated ?? 0;
    proxy?.repeat(3);
    for (let index = 0; index < 5; index += 1) await create(here, `a17247-${String(index)}`);
    expect((await here.delete(`${MAPS}/a17247-0`)).status).toBe(200);
    await create(there, 'a17247-end');
    expect((proxy?.counts.repeated ?? 0) - repeated).toBe(3);
    const seen = await seenFrom(there, since, 'a17247-end');
    expect(seen.map((one) => one.split('@')[0])).toEqual([
      ...Array.from({ length: 5 }, (_, index) => `ADDED a17247-${String(index)}`),
      'DELETED a17247-0',
      'ADDED a17247-end',
    ]);
  });

  it('Bufstream 0.1.0: an answer of the broker that is lost loses no commit and makes none twice', async () => {
    const [proxy] = cluster.kafka?.proxies ?? [];
    const since = await create(here, 'lost-since');
    for (const how of ['cut', 'swallow'] as const) {
      proxy?.lose({ count: 1, what: 'response', how });
      await create(here, `lost-${how}`);
    }
    await create(there, 'lost-end');
    const seen = await seenFrom(there, since, 'lost-end');
    expect(seen.map((one) => one.split('@')[0])).toEqual([
      'ADDED lost-cut',
      'ADDED lost-swallow',
      'ADDED lost-end',
    ]);
  });

  it('Bufstream 0.1.0: a create that arrives again after the delete does not come back', async () => {
    const echo = { brokers: cluster.kafka?.direct ?? [], topic: cluster.topic };
    const since = await create(here, 'again-since');
    const version = await create(here, 'again');
    expect((await there.delete(`${MAPS}/again`)).status).toBe(200);
    await repeatRecords(echo, { from: version - 1, count: 1 });
    await create(here, 'again-end');
    for (const client of [here, there]) {
      expect((await client.get(`${MAPS}/again`)).status).toBe(404);
      const seen = await seenFrom(client, since, 'again-end');
      expect(seen.map((one) => one.split('@')[0])).toEqual([
        'ADDED again',
        'DELETED again',
        'ADDED again-end',
      ]);
    }
  });

  it('Marten 9.16.1: a replica that slept while others wrote has passed over nothing', async () => {
    const [, asleep] = replicas;
    const since = await create(there, 'marten-since');
    const stream = await watch(there, since);
    asleep.signal('SIGSTOP');
    const names = Array.from({ length: 200 }, (_, index) => `marten-${String(index)}`);
    await Promise.all(names.map((name) => create(here, name)));
    asleep.signal('SIGCONT');
    await create(here, 'marten-end');
    await stream.until('the end', (line) => line.includes('"name":"marten-end"'));
    expect(stream.events.map(shown)).toEqual(await seenFrom(here, since, 'marten-end'));
    expect(stream.lines).toHaveLength(201);
    stream.close();
  });

  it('a read after any acknowledgement, on the other replica, is not older', async () => {
    for (let index = 0; index < 40; index += 1) {
      const name = `fresh-${String(index)}`;
      const [one, other] = index % 2 === 0 ? [here, there] : [there, here];
      const version = await create(one, name);
      const { status, body } = await other.get(`${MAPS}/${name}`);
      expect([status, versionOf(body)]).toEqual([200, version]);
      expect((await one.delete(`${MAPS}/${name}`)).status).toBe(200);
      expect((await other.get(`${MAPS}/${name}`)).status).toBe(404);
      // A refusal is a read, too.
      const again = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
      expect((await other.post(MAPS, again)).status).toBe(201);
      expect((await one.post(MAPS, again)).status).toBe(409);
    }
  });

  it('comes back by itself when the broker was silent', async () => {
    const [proxy] = cluster.kafka?.proxies ?? [];
    const stream = await watch(there, await create(here, 'silent-before'));
    proxy?.blackhole(true);
    const writing = create(here, 'silent-while').catch(() => undefined);
    const isUnready = async () => ((await here.get('/readyz')).status === 200 ? undefined : true);
    await eventually('readyz tells of it', isUnready);
    proxy?.heal();
    await writing;
    const isReady = async () => ((await here.get('/readyz')).status === 200 ? true : undefined);
    await eventually('readyz 200', isReady);
    await create(there, 'silent-after');
    await stream.until('what came after', (line) => line.includes('"name":"silent-after"'));
    stream.close();
  });
});
