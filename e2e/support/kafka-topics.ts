/**
 * Topics as a cluster's administrator sees them, through kafkajs, one short connection each time.
 */
import { type Admin, Kafka, logLevel } from 'kafkajs';

/** A broker that is looked at may be silent, and is asked again. */
const LOOK_MS = 1_000;
/** A topic is made once, by brokers that have just started, on whatever machine. */
const MAKING_MS = 60_000;

/** One partition, replicated on every node. Nodes may learn of it later than this resolves. */
export async function makeTopic(
  addresses: readonly string[],
  topic: string,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
  const wanted = { topic, numPartitions: 1, replicationFactor: addresses.length, configEntries };
  const making = { topics: [wanted], waitForLeaders: false, timeout: MAKING_MS };
  await asAdmin(addresses, MAKING_MS, (admin) => admin.createTopics(making));
}

/** The node that leads partition 0; -1 while there is none. @throws when no broker answers. */
export function leaderAsSeenBy(address: string, topic: string): Promise<number> {
  return asAdmin([address], LOOK_MS, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions[0]?.leader ?? -1;
  });
}

async function asAdmin<T>(
  addresses: readonly string[],
  timeoutMs: number,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = new Kafka({
    brokers: [...addresses],
    logLevel: logLevel.NOTHING,
    connectionTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    retry: { retries: 0 },
  }).admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
