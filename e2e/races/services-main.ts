/**
 * The law of services at its full size: `npm run robustness:services -- [--writes 100000] [--seed N]
 * [--on embedded,kafka]`. Clients create, change and remove services at once, on the embedded log and on
 * three servers with one topic of a real Kafka; code 1 where an address or a port was held twice, by no
 * service, or could not be had though it was free. `--on kube-apiserver` tells the same writes to a real one
 * and prints what it answers.
 */

import { startTheirs } from '../cluster/beside.ts';
import { ReplicaGroup } from '../kafka/replica-group.ts';
import { adminClient } from '../support/admin-client.ts';
import { QUICK_FAILOVER, startKafka } from '../support/kafka-broker.ts';
import { startServer } from '../support/server.ts';
import { racedForServices, SMALL_RANGES, type ServiceRace, writtenAtOnce } from './service-race.ts';
import { runArguments } from '../../run-arguments.ts';

const { values } = runArguments(import.meta.filename, {
  options: {
    writes: { type: 'string', default: '100000' },
    clients: { type: 'string', default: '24' },
    seed: { type: 'string' },
    on: { type: 'string', default: 'embedded,kafka' },
  },
});
const REPLICAS = 3;
const clients = Number(values.clients);
const size = { clients, writes: Math.ceil(Number(values.writes) / clients), names: 40 };
const seed = Number(values.seed ?? Date.now() % 1_000_000);

const RACES: Readonly<Record<string, () => Promise<ServiceRace>>> = {
  embedded: onEmbedded,
  kafka: onKafka,
  'kube-apiserver': onKubeApiserver,
};

/** It has no log that could be judged. */
async function onKubeApiserver(): Promise<ServiceRace> {
  const peer = await startTheirs(SMALL_RANGES);
  const client = adminClient(peer);
  const counts: Record<string, number> = {};
  try {
    const { faults } = await writtenAtOnce(seed, [client], size, counts);
    return { violations: faults, counts };
  } finally {
    client.close();
    await peer.stop();
  }
}

async function onEmbedded(): Promise<ServiceRace> {
  const server = await startServer({ args: SMALL_RANGES });
  const client = adminClient(server);
  try {
    return await racedForServices(seed, [client], size);
  } finally {
    client.close();
    await server.stop();
  }
}

async function onKafka(): Promise<ServiceRace> {
  const cluster = await startKafka({ properties: QUICK_FAILOVER });
  const replicas = new ReplicaGroup(cluster.bootstrap);
  try {
    const start = () => replicas.start('services', { args: SMALL_RANGES });
    const started = await Promise.all(Array.from({ length: REPLICAS }, start));
    return await racedForServices(
      seed,
      started.map(({ client }) => client),
      size,
    );
  } finally {
    await replicas.stop();
    await cluster.stop();
  }
}

let isBroken = false;
console.log(
  `seed ${String(seed)}, ${String(size.writes * clients)} writes of ${String(clients)} clients`,
);
for (const name of values.on.split(',')) {
  const race = RACES[name];
  if (race === undefined) throw new Error(`there is no log ${name}`);
  const began = performance.now();
  const { violations, counts } = await race();
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(
    `${name}: ${seconds} s, ${JSON.stringify(counts)}, ${String(violations.length)} violations`,
  );
  for (const one of violations.slice(0, 20)) console.log(`VIOLATED ${one}`);
  isBroken ||= violations.length > 0;
}
process.exit(isBroken ? 1 : 0);
