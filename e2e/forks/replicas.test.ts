/** Forks where servers share a topic: each fork is a topic too, and every server has it. */
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { ReplicaGroup } from '../kafka/replica-group.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { textAt } from '../support/json.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { forkPath, FORKS, makeFork, MAPS, mapsIn, putMap } from './fork-client.ts';

await describeWith('kafka', 'forks of servers that share a topic', (startKafka) => {
  let cluster: KafkaCluster;
  let replicas: ReplicaGroup;

  beforeAll(async () => {
    cluster = await startKafka();
    replicas = new ReplicaGroup(cluster.bootstrap);
  });
  afterAll(async () => {
    await replicas.stop();
    await cluster.stop();
  });

  async function topics(): Promise<string[]> {
    const kafka = new Kafka({ brokers: [...cluster.direct], logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    try {
      return await admin.listTopics();
    } finally {
      await admin.disconnect();
    }
  }

  it('are the same on all of them, and each in a topic of its own', async () => {
    const [a, b] = await Promise.all([replicas.start('plane'), replicas.start('plane')]);
    await putMap(a.client, 'shared', 'base');
    const base = await makeFork(a.client, 'try');
    const own = forkPath('try', MAPS);
    // At once, though the other server may not have heard of it yet.
    expect(await mapsIn(b.client, own)).toEqual({ shared: 'base' });
    for (let round = 0; round < 20; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [a, b] : [b, a];
      await putMap(writer.client, 'shared', `fork ${String(round)}`, own);
      expect((await mapsIn(reader.client, own))['shared']).toBe(`fork ${String(round)}`);
    }
    await putMap(b.client, 'shared', 'main');
    expect((await mapsIn(a.client))['shared']).toBe('main');
    const made = (await topics()).filter((topic) => topic.startsWith('plane.fork.'));
    expect(made).toHaveLength(1);

    // A server that has never seen it, from an empty disk.
    const c = await replicas.start('plane');
    expect(await mapsIn(c.client, own)).toEqual({ shared: 'fork 19' });
    const watch = await HttpWatch.open(c.client, `${own}?resourceVersion=${String(base)}`);
    await watch.until('the last change', ({ object }) => {
      return textAt(object, 'data', 'value') === 'fork 19';
    });
    expect(watch.received).toHaveLength(20);

    await a.server.kill9();
    await a.server.restart();
    expect(await mapsIn(a.client, own)).toEqual({ shared: 'fork 19' });

    expect((await b.client.delete(`${FORKS}/try`)).status).toBe(200);
    await watch.ended;
    for (const { client } of [a, b, c]) {
      await eventually(
        'it is gone',
        async () => (await client.get(own)).status === 404 || undefined,
      );
    }
    await eventually('its topic is gone', async () => {
      return (await topics()).some((topic) => made.includes(topic)) ? undefined : true;
    });

    await makeFork(c.client, 'try');
    expect(await mapsIn(a.client, own)).toEqual({ shared: 'main' });
  });
});
