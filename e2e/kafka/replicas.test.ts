/** Several servers on one topic, as their clients see them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aggregationTrust, registered, untilReason } from '../aggregation/given-aggregation.ts';
import { adminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch, type WatchEvent } from '../support/http-watch.ts';
import { at, listAt, textAt, type JsonValue } from '../support/json.ts';
import { QUICK_FAILOVER, type KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { SERVER_PROGRAM, startServer } from '../support/server.ts';
import { pod } from '../api/objects.ts';
import { eventsOf } from '../live/event-stream.ts';
import { startBehindReplicas, THINGS } from './behind-replicas.ts';
import { ReplicaGroup } from './replica-group.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
/** Far more than the twenty seconds in which a server that is killed leaves. */
const LEAVING_MS = 240_000;
/** Far more than the 25 seconds for which a replica heeds what another one has written of a server. */
const OTHERS_WORD_MS = 240_000;

await describeWith('kafka', 'servers that share a topic', (startKafka) => {
  let cluster: KafkaCluster;
  let replicas: ReplicaGroup;
  let topics = 0;

  beforeAll(async () => {
    cluster = await startKafka({ properties: QUICK_FAILOVER });
    replicas = new ReplicaGroup(cluster.bootstrap);
  });

  afterAll(async () => {
    await replicas.stop();
    await cluster.stop();
  });

  const newTopic = (): string => `control-plane-${String((topics += 1))}`;

  it('are one control plane: what one has acknowledged, every other knows', async () => {
    const topic = newTopic();
    const dataDir = join(replicas.directory, 'kept');
    const [a, b] = await Promise.all([replicas.start(topic, { dataDir }), replicas.start(topic)]);
    for (let round = 0; round < 50; round += 1) {
      const path = `${MAPS}/x${String(round)}`;
      const body = { metadata: { name: `x${String(round)}` }, data: { by: 'a' } };
      expect((await a.client.post(MAPS, body)).status).toBe(201);
      expect((await b.client.post(MAPS, body)).status).toBe(409);
      expect((await b.client.get(path)).status).toBe(200);
      expect((await b.client.patch(path, { data: { by: 'b' } })).status).toBe(200);
      expect(at((await a.client.get(path)).body, 'data', 'by')).toBe('b');
      expect((await a.client.delete(path)).status).toBe(200);
      expect((await b.client.delete(path)).status).toBe(404);
      expect(names((await b.client.get(MAPS)).body)).not.toContain(`x${String(round)}`);
    }
    await replicas.end(a);
    await replicas.end(b);
    // What is left on a replica's disk can be verified without Kafka, and is not taken for a log.
    const verified = await run(process.execPath, [SERVER_PROGRAM, 'verify', '--data-dir', dataDir]);
    expect(verified.stdout).toContain('the store agrees with the log');
    expect(verified.code).toBe(0);
    const alone = startServer({ dataDir });
    await expect(alone).rejects.toThrow('belongs to a server whose log is in Kafka');
  });

  it('are believed by the same clients: one authority, with the same key file only', async () => {
    const topic = newTopic();
    const a = await replicas.start(topic);
    const b = await replicas.start(topic);
    // The administrator that one server made is known by the other.
    const crossed = join(replicas.directory, 'crossed.kubeconfig');
    const text = readFileSync(a.server.kubeconfig, 'utf8').replace(a.server.url, b.server.url);
    writeFileSync(crossed, text);
    const client = adminClient({ kubeconfig: crossed });
    expect((await client.get('/api/v1/namespaces')).status).toBe(200);
    client.close();

    const other = join(replicas.directory, 'other-key');
    writeFileSync(other, 'another secret, long enough');
    const log = replicas.logOf(topic);
    await expect(startServer({ args: ['--log', log, '--key-file', other] })).rejects.toThrow(
      'sealed with another one',
    );
    await expect(startServer({ args: ['--log', log] })).rejects.toThrow('has an authority already');
    await replicas.end(a);
    await replicas.end(b);
  });

  it('are all behind the service kubernetes, and one that is killed leaves it', async () => {
    const topic = newTopic();
    const startAt = (address: string) => {
      const args = [`--advertise-address=${address}`, '--endpoint-reconciler-type=lease'];
      return replicas.start(topic, { args });
    };
    const addresses = ['198.51.100.1', '198.51.100.2', '198.51.100.3'];
    const [a, b, c] = await Promise.all(addresses.map(startAt));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three are started');
    const listed = async (): Promise<string> => {
      const { body } = await a.client.get(`${SLICES}/kubernetes`);
      const found = listAt(body, 'endpoints').flatMap((one) => listAt(one, 'addresses'));
      return found.filter((one) => typeof one === 'string').join();
    };
    const untilListed = (wanted: readonly string[]) =>
      eventually(
        `the endpoints ${wanted.join()}`,
        async () => (await listed()) === wanted.join() || undefined,
        { timeoutMs: LEAVING_MS },
      );
    await untilListed(addresses);
    await c.server.kill9();
    await untilListed(addresses.slice(0, 2));
    await replicas.end(b);
    // It has said so itself before it ended.
    expect(await listed()).toBe(addresses[0]);
    const { body } = await a.client.get('/api/v1/namespaces/default/services/kubernetes');
    expect(textAt(body, 'spec', 'clusterIP')).toBe('10.0.0.1');
    await replicas.end(c);
    await replicas.end(a);
  });

  it('hand watches over: a client goes on at another server without loss or double', async () => {
    const topic = newTopic();
    const [a, b] = await Promise.all([replicas.start(topic), replicas.start(topic)]);
    const both = [a, b];
    const seen: string[] = [];
    const expected: string[] = [];
    let version = versionOf((await a.client.get(MAPS)).body);
    for (let round = 0; round < 12; round += 1) {
      const from = both[round % 2] ?? a;
      const watch = await HttpWatch.open(from.client, `${MAPS}?resourceVersion=${version}`);
      for (let n = 0; n < 20; n += 1) {
        const name = `w${String(round)}-${String(n)}`;
        const writer = both[n % 2] ?? a;
        expect((await writer.client.post(MAPS, { metadata: { name } })).status).toBe(201);
        expected.push(name);
      }
      const half = round * 20 + 10;
      const last = expected[half - 1] ?? '';
      await watch.until(last, ({ object }) => nameOf(object) === last);
      watch.close();
      // As a client does whose connection broke: it goes on behind the last event it has kept.
      const kept = watch.received.slice(
        0,
        watch.received.findIndex(({ object }) => nameOf(object) === last) + 1,
      );
      for (const { object } of kept) {
        seen.push(nameOf(object));
        version = versionOf(object);
      }
    }
    const rest = await HttpWatch.open(b.client, `${MAPS}?resourceVersion=${version}`);
    const last = expected.at(-1) ?? '';
    await rest.until(last, ({ object }) => nameOf(object) === last);
    rest.close();
    seen.push(...rest.received.map(({ object }) => nameOf(object)));
    expect(seen).toEqual(expected);
    await replicas.end(a);
    await replicas.end(b);
  });

  it('hand live streams over: a Last-Event-ID of one is a place on the other', async () => {
    const topic = newTopic();
    const [a, b] = await Promise.all([replicas.start(topic), replicas.start(topic)]);
    const both = [
      { id: 'maps', path: MAPS },
      { id: 'secrets', path: MAPS.replace('configmaps', 'secrets') },
    ];
    const told: string[] = [];
    const wanted: string[] = [];
    let place: string | undefined;
    for (let round = 0; round < 6; round += 1) {
      const { client } = [a, b][round % 2] ?? a;
      const stream = await eventsOf(client, both, place);
      const before = place ?? '0';
      await eventually('its first place', () => stream.lastEventId !== '' || undefined);
      for (let nth = 0; nth < 6; nth += 1) {
        const name = `l${String(round)}-${String(nth)}`;
        const writer = [a, b][nth % 2] ?? a;
        const { path = '' } = both[nth % 2] ?? {};
        expect((await writer.client.post(path, { metadata: { name } })).status).toBe(201);
        wanted.push(`ADDED ${name}`);
      }
      // Half of them are told on the other replica.
      const half = wanted[round * 6 + 2] ?? '';
      await eventually(half, () => stream.texts.includes(half) || undefined);
      const reached = () => Number(stream.lastEventId) > Number(before) || undefined;
      await eventually('a place behind it', reached);
      place = stream.lastEventId;
      told.push(...stream.textsUntil(place));
      stream.close();
    }
    const rest = await eventsOf(b.client, both, place);
    const last = wanted.at(-1) ?? '';
    await eventually(last, () => [...told, ...rest.texts].includes(last) || undefined);
    told.push(...rest.texts);
    rest.close();
    // Where one begins behind a place, subscriptions catch up one behind the other.
    const added = told.filter((text) => text.startsWith('ADDED l'));
    for (const nth of both.keys()) {
      const ofOne = (text: string): boolean => Number(text.at(-1)) % both.length === nth;
      expect(added.filter(ofOne)).toEqual(wanted.filter(ofOne));
    }
    await replicas.end(a);
    await replicas.end(b);
  });

  it('delete the same pods at once: each goes once, and is told of as it goes', async () => {
    const topic = newTopic();
    const [a, b] = await Promise.all([replicas.start(topic), replicas.start(topic)]);
    const pods = '/api/v1/namespaces/default/pods';
    const watch = await HttpWatch.open(b.client, `${pods}?resourceVersion=0`);
    const wanted: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const name = `p${String(round)}`;
      expect((await a.client.post(pods, pod(name))).status).toBe(201);
      const statuses = await Promise.all(
        [a, b, a, b].map(async ({ client }) => (await client.delete(`${pods}/${name}`)).status),
      );
      const others = statuses.filter((status) => status !== 200 && status !== 404);
      expect([others, statuses.includes(200)]).toEqual([[], true]);
      wanted.push(...['ADDED', 'MODIFIED', 'DELETED'].map((type) => `${type} ${name}`));
    }
    const last = wanted.at(-1);
    const shown = ({ type, object }: WatchEvent): string => `${type} ${nameOf(object)}`;
    await watch.until('the last to go', (event) => shown(event) === last);
    watch.close();
    expect(watch.received.map(shown)).toEqual(wanted);
    await replicas.end(a);
    await replicas.end(b);
  });

  it('begin from a snapshot where the log is long', async () => {
    const topic = newTopic();
    const a = await replicas.start(topic, { args: ['--snapshot-every', '100'] });
    const wave = async (prefix: string, count: number): Promise<void> => {
      const posts = Array.from({ length: count }, (_, n) =>
        a.client.post(MAPS, { metadata: { name: `${prefix}${String(n)}` } }),
      );
      for (const { status } of await Promise.all(posts)) expect(status).toBe(201);
    };
    await wave('old-', 150);
    const past = versionOf((await a.client.get(MAPS)).body);
    await a.client.delete(`${MAPS}?fieldSelector=metadata.name%3Dold-7`);
    await wave('new-', 200);
    const isBehind = (version: number): boolean => version > Number(past);
    await eventually(
      'a snapshot',
      () => snapshotsTaken(a.server.logs()).some(isBehind) || undefined,
    );
    await wave('last-', 30);

    const b = await replicas.start(topic, { args: ['--snapshot-every', '100'] });
    expect(b.server.logs()).toContain('starting from a snapshot');
    const [here, there] = [await a.client.get(MAPS), await b.client.get(MAPS)];
    expect(itemsOf(there.body)).toEqual(itemsOf(here.body));
    // What lies before the snapshot is not known there, and that is said.
    const exact = `${MAPS}?resourceVersion=${past}&resourceVersionMatch=Exact`;
    expect((await a.client.get(exact)).status).toBe(200);
    const gone = await b.client.get(exact);
    expect([gone.status, at(gone.body, 'reason')]).toEqual([410, 'Expired']);
    // It goes on from there as if it had always been there, also after a kill.
    expect((await b.client.post(MAPS, { metadata: { name: 'from-b' } })).status).toBe(201);
    await b.server.kill9();
    await b.server.restart();
    const again = adminClient(b.server);
    expect(itemsOf((await again.get(MAPS)).body)).toEqual(itemsOf((await a.client.get(MAPS)).body));
    again.close();
    await replicas.end(a);
    await replicas.end(b);
  });

  it('pass on to one aggregated server; the one that is left finds it again', async () => {
    const [topic, trust] = [newTopic(), await aggregationTrust()];
    const start = () => replicas.start(topic, { args: trust.serverFlags });
    const [a, b] = await Promise.all([start(), start()]);
    const behind = await startBehindReplicas(trust);
    const { port } = behind;
    const { caBundle } = trust;
    await registered(a.client, THINGS.group, 'v1', { service: 'things', port, caBundle });
    const name = `v1.${THINGS.group}`;
    for (const { client } of [a, b]) {
      await untilReason(client, name, 'Passed');
      const { status, body } = await client.get(THINGS.path);
      expect([status, body]).toEqual([200, { kind: 'ThingList', user: 'kubernetes-admin' }]);
      await eventually('its group', async () => {
        const { body: groups } = await client.get('/apis');
        const names = listAt(groups, 'groups').map((one) => at(one, 'name'));
        return names.includes(THINGS.group) || undefined;
      });
    }
    behind.answers(false);
    for (const { client } of [a, b]) {
      await eventually('503', async () => {
        return (await client.get(THINGS.path)).status === 503 || undefined;
      });
      await untilReason(client, name, 'FailedDiscoveryCheck');
    }
    await a.server.kill9();
    behind.answers(true);
    const again = async () => (await b.client.get(THINGS.path)).status === 200 || undefined;
    await eventually('200', again, { timeoutMs: OTHERS_WORD_MS });
    await replicas.end(a);
    await replicas.end(b);
    behind.close();
    trust.remove();
  });

  it('go on reading when Kafka is gone, say so, and write again when it is back', async () => {
    const a = await replicas.start(newTopic(), { args: ['--request-timeout', '5s'] });
    const { client } = a;
    expect((await client.post(MAPS, { metadata: { name: 'before' } })).status).toBe(201);
    const watch = await HttpWatch.open(client, MAPS);
    await watch.until('before', ({ object }) => nameOf(object) === 'before');
    await cluster.kill9(1);

    const any = await client.get(`${MAPS}/before?resourceVersion=0`);
    expect(any.status).toBe(200);
    await eventually('readyz fails', async () => {
      return (await client.get('/readyz')).status === 500 || undefined;
    });
    expect((await client.get('/livez')).status).toBe(200);
    // Until it is certain that no broker is there, an answer may be 504.
    const refused = await eventually('a write is refused with 503', async () => {
      const answer = await client.post(MAPS, { metadata: { name: 'refused' } });
      return answer.status === 503 ? answer : undefined;
    });
    expect(refused.headers['retry-after']).toBeDefined();
    const read = await client.get(`${MAPS}/before`);
    expect([read.status, read.headers['retry-after'] !== undefined]).toEqual([503, true]);
    expect((await client.get(`${MAPS}/before?resourceVersion=0`)).status).toBe(200);

    await cluster.restart(1);
    const back = await eventually('writes go on', async () => {
      const answer = await client.post(MAPS, { metadata: { name: 'after' } });
      return answer.status === 201 ? answer : undefined;
    });
    expect(back.status).toBe(201);
    // The watch has been open all the time.
    await watch.until('after', ({ object }) => nameOf(object) === 'after');
    watch.close();
    expect((await client.get('/readyz')).status).toBe(200);
    expect((await client.get(`${MAPS}/before`)).status).toBe(200);
    await replicas.end(a);
  });
});

/** Their versions, as a server has logged them. */
function snapshotsTaken(logs: string): number[] {
  return [...logs.matchAll(/"took a snapshot".* version=(\d+)/g)].map(([, version]) =>
    Number(version),
  );
}

function itemsOf(list: JsonValue): readonly JsonValue[] {
  return listAt(list, 'items');
}

function names(list: JsonValue): string[] {
  return itemsOf(list).map(nameOf);
}

function nameOf(object: JsonValue): string {
  return textAt(object, 'metadata', 'name');
}

function versionOf(object: JsonValue): string {
  return textAt(object, 'metadata', 'resourceVersion');
}
