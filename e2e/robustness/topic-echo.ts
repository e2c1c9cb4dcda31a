/**
 * Writes records of a topic a second time, as they are: what a network does that delivers a produce
 * request again when the client expects it no longer.
 */
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs';

export interface Echo {
  readonly brokers: readonly string[];
  readonly topic: string;
}

/** The newest offset, and behind it nothing. */
export async function endOf({ brokers, topic }: Echo): Promise<number> {
  const admin = clientOf(brokers).admin();
  await admin.connect();
  try {
    const [partition] = await admin.fetchTopicOffsets(topic);
    return Number(partition?.high ?? 0);
  } finally {
    await admin.disconnect();
  }
}

/** Writes the records from an offset on again, at the end. There are so many of them. */
export async function repeatRecords(
  { brokers, topic }: Echo,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<void> {
  const kafka = clientOf(brokers);
  const found = await recordsAt(kafka, topic, { from, count });
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  try {
    const messages = found.map(({ key, value, headers = {} }) => ({ key, value, headers }));
    await producer.send({ topic, acks: -1, messages });
  } finally {
    await producer.disconnect();
  }
}

async function recordsAt(
  kafka: Kafka,
  topic: string,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<KafkaMessage[]> {
  const groupId = `echo-${String(process.pid)}-${String(Date.now())}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
  const found: KafkaMessage[] = [];
  await consumer.connect();
  try {
    // From its beginning: a seek is lost when the group is formed just then.
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const eachMessage = ({ message }: { message: KafkaMessage }): Promise<void> => {
        if (Number(message.offset) >= from && found.length < count) found.push(message);
        if (found.length === count) resolve();
        return Promise.resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return found;
}

function clientOf(brokers: readonly string[]): Kafka {
  return new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
}
