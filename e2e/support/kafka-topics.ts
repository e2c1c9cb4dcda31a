/**
 * Topics as a cluster's administrator sees them, through kafkajs, one short connection each time.
 */
import { type Admin, Kafka, logLevel } from 'kafkajs';

/** One partition, replicated on every node. Nodes may learn of it later than this resolves. */
export async function makeTopic(
  addresses: readonly string[],
  topic: string,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
  const wanted = { topic, numPartitions: 1, replicationFactor: addresses.length, configEntries };
  await asAdmin(addresses, (admin) =>
    admin.createTopics({ topics: [wanted], waitForLeaders: false }),
  );
}

/** The node that leads partition 0; -1 while there is none. @throws when no broker answers. */
export function leaderAsSeenBy(address: string, topic: string): Promise<number> {
  return asAdmin([address], async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions[0]?.leader ?? -1;
  });
}

async function asAdmin<T>(
  addresses: readonly string[],
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = new Kafka({
    brokers: [...addresses],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1_000,
    requestTimeout: 1_000,
    retry: { retries: 0 },
  }).admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
