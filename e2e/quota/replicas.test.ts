/** A quota where two servers write to one topic: neither knows what the other decides just now. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { QUICK_FAILOVER, type KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { untilReady } from '../support/server.ts';
import { ReplicaGroup } from '../kafka/replica-group.ts';
import { churn, usedAlong } from './churn.ts';
import { crowd, furnishShop, MAPS, NAMESPACE, namesThere } from './crowd.ts';

await describeWith('kafka', 'a quota on two servers', (startKafka) => {
  let cluster: KafkaCluster;
  let replicas: ReplicaGroup;

  beforeAll(async () => {
    cluster = await startKafka({ properties: QUICK_FAILOVER });
    replicas = new ReplicaGroup(cluster.bootstrap);
  });

  afterAll(async () => {
    await replicas.stop();
    await cluster.stop();
  });

  it('is used up to the last, and not beyond, also when one of them dies', async () => {
    const start = () => replicas.start('quota', { controllers: 'resourcequota-controller' });
    const [a, b] = await Promise.all([start(), start()]);
    await furnishShop(a.client, 30);
    const first = await crowd([a.client, b.client], 300, 'a');
    expect(first.unknown).toEqual([]);
    expect(first.admitted).toHaveLength(30);
    expect((await namesThere(b.client)).sort()).toEqual([...first.admitted].sort());

    const quota = `/api/v1/namespaces/${NAMESPACE}/resourcequotas/q`;
    const told = await usedAlong(b.client, quota, () => churn([a.client, b.client], 20));
    expect(Math.max(...told.map(({ configmaps }) => configmaps))).toBeLessThanOrEqual(30);
    expect(Math.max(...told.map(({ nodePorts }) => nodePorts))).toBeLessThanOrEqual(6);

    for (const name of first.admitted) await b.client.delete(`${MAPS}/${name}`);
    const coming = crowd([a.client, b.client], 300, 'b');
    await eventually('some are there', async () => {
      return (await namesThere(a.client)).length >= 5 || undefined;
    });
    await b.server.kill9();
    const during = await coming;
    await b.server.restart();
    await untilReady(b.client);
    const after = await crowd([a.client, b.client], 100, 'c');
    expect(after.unknown).toEqual([]);
    const there = await namesThere(a.client);
    expect(there).toHaveLength(30);
    expect((await namesThere(b.client)).sort()).toEqual([...there].sort());
    expect(there).toEqual(expect.arrayContaining([...during.admitted, ...after.admitted]));
    await replicas.end(a);
    await replicas.end(b);
  });
});
