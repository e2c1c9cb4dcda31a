/**
 * Writes of every kind against quotas, namespaces that end, and each other, on one server and on two that
 * share a topic. What must hold is judged from the log. A run is repeated, as far as the moments allow,
 * with EVERWATCH_SEED=<seed>.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { QUICK_FAILOVER, type KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { type RunningServer, startServer } from '../support/server.ts';
import { ReplicaGroup } from '../kafka/replica-group.ts';
import { raced, type RaceSize } from './race.ts';
import { racedForServices, SMALL_RANGES } from './service-race.ts';

const CONTROLLERS = { controllers: 'namespace-controller,resourcequota-controller' };
const SIZE: RaceSize = { clients: 8, rounds: 5, writes: 20, duels: 5 };

async function run(servers: readonly AdminClient[]): Promise<void> {
  const seed = Number(process.env['EVERWATCH_SEED'] ?? Date.now() % 1_000_000);
  console.log(`EVERWATCH_SEED=${String(seed)}`);
  const { violations, counts } = await raced(seed, servers, SIZE);
  console.log(JSON.stringify(counts));
  expect(violations.slice(0, 10), `seed ${String(seed)}`).toEqual([]);
  for (const [law, count] of Object.entries(counts)) expect(count, law).toBeGreaterThan(0);
}

describe('writes that race on one server', () => {
  let server: RunningServer;
  let client: AdminClient;

  beforeAll(async () => {
    server = await startServer(CONTROLLERS);
    client = adminClient(server);
  });

  afterAll(async () => {
    client.close();
    await server.stop();
  });

  it('leave a log in which every law holds', async () => {
    await run([client]);
  });
});

await describeWith('kafka', 'writes that race on two servers with one topic', (startKafka) => {
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

  it('leave a log in which every law holds', async () => {
    const start = () => replicas.start('races', CONTROLLERS);
    const [a, b] = await Promise.all([start(), start()]);
    await run([a.client, b.client]);
  });

  it('for addresses and ports leave none twice, and none behind, on three', async () => {
    const start = () => replicas.start('services', { ...CONTROLLERS, args: SMALL_RANGES });
    const three = await Promise.all([start(), start(), start()]);
    const seed = Number(process.env['EVERWATCH_SEED'] ?? Date.now() % 1_000_000);
    const clients = three.map(({ client }) => client);
    const size = { clients: 18, writes: 30, names: 40 };
    const { violations, counts } = await racedForServices(seed, clients, size);
    console.log(JSON.stringify(counts));
    expect(violations.slice(0, 10), `seed ${String(seed)}`).toEqual([]);
    for (const status of [200, 201, 404, 409, 422]) expect(counts[status]).toBeGreaterThan(0);
  });
});
