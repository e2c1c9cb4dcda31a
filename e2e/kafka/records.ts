/**
 * What lies in a topic, read by a consumer group of its own: slow, and none of ours.
 */
import { randomUUID } from 'node:crypto';
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs';

import { eventually } from '../support/eventually.ts';

/** The values in partition 0 as text, up to the end that the topic has now. */
export async function recordsOf(brokers: readonly string[], topic: string): Promise<string[]> {
  const messages = await messagesOf(brokers, topic);
  return messages.map(({ value }) => value?.toString('utf8') ?? '');
}

/** The records of partition 0, up to the end that the topic has now. */
export async function messagesOf(
  brokers: readonly string[],
  topic: string,
): Promise<KafkaMessage[]> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const [offsets] = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const end = Number(offsets?.high ?? 0);
  if (end === Number(offsets?.low ?? 0)) return [];

  const found: KafkaMessage[] = [];
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: ({ message }) => Promise.resolve(void found.push(message)),
    });
    const isWhole = () => Number(found.at(-1)?.offset ?? -1) >= end - 1 || undefined;
    await eventually(`the ${String(end)} records of ${topic}`, isWhole);
  } finally {
    await consumer.disconnect();
  }
  return found.filter(({ offset }) => Number(offset) < end);
}
