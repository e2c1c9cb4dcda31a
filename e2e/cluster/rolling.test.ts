/**
 * Replicas of the server are replaced one after another while a whole cluster works on them through a
 * load balancer: no watcher misses an event, and no client is given a failure. Larger: rolling-main.ts.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith, needs } from '../support/requirements.ts';
import { clusterPrograms } from './programs.ts';
import { RollingCluster } from './rolling.ts';

const SIZE = { nodes: 4, podsOfOne: 20, rounds: 1, timeoutMs: 240_000 };

const programs = await clusterPrograms();
const kafkaStarter = await needs('kafka');

await describeWith('writer-check', 'a rolling replacement under a whole cluster', (writer) => {
  if (programs === undefined || kafkaStarter === undefined) return;
  let kafka: KafkaCluster;
  let cluster: RollingCluster | undefined;

  beforeAll(async () => {
    kafka = await kafkaStarter();
    cluster = await RollingCluster.start(kafka.bootstrap, writer, SIZE);
  });

  afterAll(async () => {
    await cluster?.stop();
    await kafka.stop();
  });

  it('loses no event of a watch and fails no write', async () => {
    if (cluster === undefined) throw new Error('it has started');
    const { pods, writes, failures, lost, moves, seen, told } = await cluster.replaced();
    expect({ failures, lost }).toEqual({ failures: [], lost: [] });
    expect(writes).toBeGreaterThan(100);
    expect(moves).toBeGreaterThan(0);
    expect(seen.filter((line) => line.startsWith('DELETED'))).toHaveLength(pods);
    expect(seen).toEqual(told);
  });
});
