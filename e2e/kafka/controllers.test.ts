/**
 * Controllers on every one of several servers that share a log: they do the same work at the same
 * time, and what comes of it is what one of them alone would have made.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { at, listAt, textAt } from '../support/json.ts';
import { faultsIn } from '../support/log-lines.ts';
import { describeWith } from '../support/requirements.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { ReplicaGroup, type Replica } from './replica-group.ts';

const MAPS = '/api/v1/namespaces/full/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CHILDREN = 20;

await describeWith('kafka', 'controllers on two servers', (startKafka) => {
  let cluster: KafkaCluster;
  let replicas: ReplicaGroup;
  let one: Replica;
  let two: Replica;

  beforeAll(async () => {
    cluster = await startKafka({ brokers: 1 });
    replicas = new ReplicaGroup(cluster.bootstrap);
    one = await replicas.start('controllers', { controllers: '*' });
    two = await replicas.start('controllers', { controllers: '*' });
    await one.client.post('/api/v1/namespaces', { metadata: { name: 'full' } });
  });

  afterAll(async () => {
    await replicas.stop();
    await cluster.stop();
  });

  it('furnish a namespace once', async () => {
    for (const { client } of [one, two]) {
      const path = '/api/v1/namespaces/full/serviceaccounts/default';
      await eventually(
        'it is there',
        async () => (await client.get(path)).status === 200 || undefined,
      );
    }
    const uids = await Promise.all(
      [one, two].map(async ({ client }) => {
        const { body } = await client.get('/api/v1/namespaces/full/serviceaccounts');
        return listAt(body, 'items').map((item) => textAt(item, 'metadata', 'uid'));
      }),
    );
    expect(uids[0]).toHaveLength(1);
    expect(uids[1]).toEqual(uids[0]);
  });

  it('collect the dependents of what was deleted on either', async () => {
    const { body } = await one.client.post(MAPS, { metadata: { name: 'owner' } });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner' };
    const ownerReferences = [{ ...owner, uid: textAt(body, 'metadata', 'uid') }];
    for (let index = 0; index < CHILDREN; index += 1) {
      const { client } = index % 2 === 0 ? one : two;
      const metadata = { name: `child-${String(index)}`, ownerReferences };
      expect((await client.post(MAPS, { metadata })).status).toBe(201);
    }
    expect((await two.client.delete(`${MAPS}/owner`)).status).toBe(200);
    await eventually('all have gone', async () => {
      const left = listAt((await one.client.get(MAPS)).body, 'items');
      return (
        left.every((item) => !textAt(item, 'metadata', 'name').startsWith('child')) || undefined
      );
    });
  });

  it('establish a definition, and see it off with what was made of it', async () => {
    const schema = { openAPIV3Schema: { type: 'object' } };
    const made = await one.client.post(DEFINITIONS, {
      metadata: { name: 'toys.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'toys', kind: 'Toy' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    expect(made.status).toBe(201);
    const toys = '/apis/example.com/v1/namespaces/full/toys';
    const toy = { apiVersion: 'example.com/v1', kind: 'Toy', metadata: { name: 'ball' } };
    await eventually('it is served on the other', async () => {
      return (await two.client.post(toys, toy)).status === 201 || undefined;
    });
    const shown = await one.client.get(`${toys}/ball`);
    expect(textAt(shown.body, 'metadata', 'name')).toBe('ball');
    await two.client.delete(`${DEFINITIONS}/toys.example.com`);
    await eventually('it has gone', async () => {
      const { status } = await one.client.get(`${DEFINITIONS}/toys.example.com`);
      return status === 404 || undefined;
    });
    expect((await one.client.get(toys)).status).toBe(404);
  });

  it('end a namespace', async () => {
    await one.client.delete('/api/v1/namespaces/full');
    await eventually('it has gone', async () => {
      return (await two.client.get('/api/v1/namespaces/full')).status === 404 || undefined;
    });
    const maps = await one.client.get('/api/v1/configmaps');
    const left = listAt(maps.body, 'items').map((item) => at(item, 'metadata', 'namespace'));
    expect(left).not.toContain('full');
  });

  it('find nothing of this to complain of', () => {
    for (const { server } of [one, two]) {
      expect(faultsIn(server.logs())).toEqual([]);
    }
  });
});
