/** How topics are made, looked at and removed; kafka-topic.test.ts has the rules of their settings. */
import { afterEach, describe, expect, it } from 'vitest';
import { LogUnavailableError } from '../event-log.ts';
import {
  deleteRecordsBefore,
  deleteTopic,
  prepareCompactedTopic,
  prepareTopic,
  topicExists,
  TOPIC_SETTINGS,
} from './kafka-topic.ts';
import { encodeBatch } from './record-batch.ts';
import { givenKafka, type GivenKafka } from './stand-in/given-kafka.fixture.ts';
import { StandInTopic } from './stand-in/stand-in-topic.fixture.ts';

const UNKNOWN_TOPIC = 3;
const TOPIC_AUTHORIZATION_FAILED = 29;

const givens: GivenKafka[] = [];

afterEach(async () => {
  for (const each of givens.splice(0)) {
    await each.stop();
    expect(each.kafka.misfits).toEqual([]);
  }
});

/** Brokers without a topic. */
async function given(brokers = 1): Promise<GivenKafka> {
  const made = await givenKafka({ brokers });
  made.kafka.topics.clear();
  givens.push(made);
  return made;
}

function settingsOf({ kafka, topic }: GivenKafka): Record<string, string> {
  return Object.fromEntries(kafka.topic(topic).settings);
}

function askedFor({ kafka }: GivenKafka, request: string): number {
  return kafka.asked.filter((each) => each.request === request).length;
}

describe('the topic of a log', () => {
  it('is made as a log needs it, once', async () => {
    const made = await given();

    await prepareTopic(made.parts);
    await prepareTopic({ ...made.parts, mustExist: true });

    expect(askedFor(made, 'CreateTopics')).toBe(1);
    expect(made.kafka.topic(made.topic)).toMatchObject({ partitions: 1, replicas: 1 });
    expect(settingsOf(made)).toMatchObject({
      'cleanup.policy': 'delete',
      'unclean.leader.election.enable': 'false',
      'min.insync.replicas': '1',
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'message.timestamp.type': 'LogAppendTime',
      'compression.type': 'producer',
      'max.message.bytes': '29360128',
      'segment.bytes': '536870912',
    });
  });

  it.each([
    [2, 'auto', 1, '1'],
    [3, 'auto', 3, '2'],
    [5, 'auto', 3, '2'],
    [3, 2, 2, '1'],
    [5, 5, 5, '3'],
  ] as const)(
    'on %i brokers with factor %s has %i replicas',
    async (brokers, factor, replicas, insync) => {
      const made = await given(brokers);
      const settings = { ...TOPIC_SETTINGS, replicationFactor: factor };

      await prepareTopic({ ...made.parts, settings });

      expect(made.kafka.topic(made.topic).replicas).toBe(replicas);
      expect(settingsOf(made)['min.insync.replicas']).toBe(insync);
    },
  );

  it('keeps records as long as was asked for', async () => {
    const made = await given();
    const settings = { ...TOPIC_SETTINGS, retentionMs: 5_000, retentionBytes: 100 };

    await prepareTopic({ ...made.parts, settings });

    expect(settingsOf(made)).toMatchObject({ 'retention.ms': '5000', 'retention.bytes': '100' });
  });

  it('is not made for servers that only read', async () => {
    const made = await given();

    await expect(prepareTopic({ ...made.parts, mustExist: true })).rejects.toMatchObject({
      name: 'TopicSettingsError',
      message: `there is no topic ${made.topic}`,
    });
    expect(made.kafka.topics.size).toBe(0);
  });

  it('is checked where it was there before, or another server was quicker', async () => {
    const made = await given();
    made.kafka.topics.set(made.topic, new StandInTopic({}, { partitions: 2 }));
    const wrong = { name: 'TopicSettingsError', setting: 'partitions' };
    await expect(prepareTopic(made.parts)).rejects.toMatchObject(wrong);

    // The broker that is asked has not heard of it yet.
    made.kafka.fail('Metadata', UNKNOWN_TOPIC, 2);
    await expect(prepareTopic(made.parts)).rejects.toMatchObject(wrong);
  });

  it('is waited for where brokers do not know it at once', async () => {
    const made = await given();
    made.kafka.fail('DescribeConfigs', UNKNOWN_TOPIC, 2);

    await prepareTopic(made.parts);

    expect(askedFor(made, 'DescribeConfigs')).toBe(3);
  });

  it('is given up where it does not come', async () => {
    const made = await given();
    made.kafka.fail('DescribeConfigs', UNKNOWN_TOPIC, 1_000);
    let nowMs = 0;
    const clock = {
      now: () => (nowMs += 6_000),
      after(_delayMs: number, callback: () => void) {
        callback();
        return () => undefined;
      },
    };

    await expect(prepareTopic({ ...made.parts, clock })).rejects.toMatchObject({
      message: `the topic ${made.topic} was made, but is not there`,
      isPassing: true,
    });
  });
});

describe('a compacted topic', () => {
  const COMPACTION = { segmentBytes: 7, dirtyRatio: '0.5' };

  it('is made once, and left as it is', async () => {
    const made = await given(3);
    await prepareCompactedTopic(made.parts, { ...COMPACTION, lagMaxMs: 9 });
    await prepareCompactedTopic(made.parts, COMPACTION);

    expect(askedFor(made, 'CreateTopics')).toBe(1);
    expect(made.kafka.topic(made.topic)).toMatchObject({ partitions: 1, replicas: 3 });
    expect(settingsOf(made)).toMatchObject({
      'cleanup.policy': 'compact',
      'unclean.leader.election.enable': 'false',
      'min.insync.replicas': '2',
      'max.message.bytes': '29360128',
      'segment.bytes': '7',
      'min.cleanable.dirty.ratio': '0.5',
      'max.compaction.lag.ms': '9',
    });
  });
});

describe('removing', () => {
  it('takes a topic that is there, and minds none that is going', async () => {
    const made = await given();
    expect(await topicExists(made.parts)).toBe(false);
    await prepareTopic(made.parts);
    expect(await topicExists(made.parts)).toBe(true);

    made.kafka.fail('DeleteTopics', UNKNOWN_TOPIC);
    await deleteTopic(made.parts);

    expect(await topicExists(made.parts)).toBe(false);
    const asked = askedFor(made, 'DeleteTopics');
    await deleteTopic(made.parts);
    expect(askedFor(made, 'DeleteTopics')).toBe(asked);
  });

  it('takes records before an offset, as far as there are any', async () => {
    const made = await given();
    await prepareTopic(made.parts);
    const topic = made.kafka.topic(made.topic);
    for (const n of [1, 2, 3]) {
      topic.append(encodeBatch([{ key: 'k', value: Buffer.from('v'), headers: {} }], n));
    }
    await deleteRecordsBefore(made.parts, 0);
    expect(askedFor(made, 'DeleteRecords')).toBe(0);
    await deleteRecordsBefore(made.parts, 2);
    expect(topic.start).toBe(2);
    await deleteRecordsBefore(made.parts, 9);
    expect(topic.start).toBe(3);
  });
});

describe('brokers that do not answer as hoped', () => {
  it('are named with what they say', async () => {
    const made = await given();
    await prepareTopic(made.parts);
    made.kafka.fail('DescribeConfigs', TOPIC_AUTHORIZATION_FAILED);

    const failure = await prepareTopic(made.parts).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(LogUnavailableError);
    expect(String(failure)).toContain(
      `Kafka at ${made.kafka.brokers.join(', ')} could not be asked about the topic ${made.topic}: `,
    );
    expect(String(failure)).toContain('Not authorized');
  });

  it('are let go of, whatever they have said', async () => {
    const made = await given();
    made.kafka.fail('CreateTopics', TOPIC_AUTHORIZATION_FAILED);

    await expect(prepareTopic(made.parts)).rejects.toThrow(LogUnavailableError);

    await expect.poll(() => made.kafka.connections).toBe(0);
  });

  it('have their client’s complaints told as warnings and errors', async () => {
    const made = await given();
    made.kafka.fail('DescribeConfigs', TOPIC_AUTHORIZATION_FAILED);
    await prepareTopic(made.parts).catch(() => undefined);

    const levels = made.told.flatMap(([name, level]) => (name === 'clientLog' ? [level] : []));
    expect(levels).toContain('error');
    expect(levels.every((level) => level === 'error' || level === 'warn')).toBe(true);
  });
});
