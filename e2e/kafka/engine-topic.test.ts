/** The topic as the engine makes it, and each wrong setting that it refuses. */
import { Readable } from 'node:stream';
import kafkajs, { Kafka, logLevel, type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proposedEvent } from '../../streams/proposed-event.fixture.ts';
import { LogTrimmedError, LogUnavailableError } from '../../streams/event-log.ts';
import { encodeRecord } from '../../streams/event-codec.ts';
import { NO_CUT } from '../../streams/log-cuts.ts';
import { TopicSettingsError } from '../../streams/kafka/kafka-errors.ts';
import { KafkaEventLog } from '../../streams/kafka/kafka-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { eventually } from '../support/eventually.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import { describeWith } from '../support/requirements.ts';
import { EngineLogs } from '../../streams/kafka/engine-logs.fixture.ts';

/** Settings with which a topic is accepted. */
const GOOD = {
  'cleanup.policy': 'delete',
  'retention.ms': '-1',
  'message.timestamp.type': 'LogAppendTime',
  'max.message.bytes': String(32 * 1024 * 1024),
};

await describeWith('kafka', 'the topic of the Kafka engine', (startKafka) => {
  let cluster: KafkaCluster;
  let logs: EngineLogs;
  let admin: Admin;

  beforeAll(async () => {
    cluster = await startKafka();
    logs = new EngineLogs(cluster.bootstrap);
    admin = new Kafka({ brokers: [...cluster.direct], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
  });

  afterAll(async () => {
    await logs.remove();
    await admin.disconnect();
    await cluster.stop();
  });

  async function settingsOf(topic: string): Promise<Record<string, string>> {
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }];
    const described = await admin.describeConfigs({ resources, includeSynonyms: false });
    const entries = described.resources[0]?.configEntries ?? [];
    return Object.fromEntries(
      entries.map(({ configName, configValue }) => [configName, configValue]),
    );
  }

  it('is made with the settings that make it a log', async () => {
    const place = logs.newPlace();
    await logs.open(place);

    expect(await settingsOf(place.topic)).toMatchObject({
      'cleanup.policy': 'delete',
      'unclean.leader.election.enable': 'false',
      'min.insync.replicas': '1',
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'message.timestamp.type': 'LogAppendTime',
      'compression.type': 'producer',
      'max.message.bytes': '29360128',
    });
  });

  it('is made once when many servers start at the same moment, and shared', async () => {
    const { topic } = logs.newPlace();
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => logs.open(logs.newPlace(topic))),
    );
    await Promise.all(opened.map((log, n) => log.append([proposedEvent(n)])));

    for (const log of opened) {
      await eventually('all five', () => log.at(resourceVersion(5)));
      const sequences = [1, 2, 3, 4, 5].map((n) => log.at(resourceVersion(n))?.sequence);
      expect(sequences.sort()).toEqual([0, 1, 2, 3, 4]);
    }
  });

  it('can be read within a moment by a server that comes to it', async () => {
    const place = logs.newPlace();
    const first = await logs.open(place);
    await first.append([proposedEvent(1)]);
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const startMs = performance.now();
      const log = await logs.open(logs.newPlace(place.topic));
      const controller = new AbortController();
      const reader = log.read(resourceVersion(1), controller.signal)[Symbol.asyncIterator]();
      expect((await reader.next()).done).toBe(false);
      times.push(Math.round(performance.now() - startMs));
      controller.abort();
      await log.close();
    }
    console.log(`from nothing to the first record: ${times.join(', ')} ms`);
    expect(Math.min(...times)).toBeLessThan(2_000);
  });

  describe('is refused with what is wrong and what mends it', () => {
    it.each([
      ['cleanup.policy', 'compact', /compaction .* cleanup.policy=delete$/],
      ['cleanup.policy', 'compact,delete', /compaction .* cleanup.policy=delete$/],
      ['unclean.leader.election.enable', 'true', /unclean.leader.election.enable=false$/],
      ['retention.ms', '604800000', /sooner than was asked for: it must be -1 .* retention.ms=-1$/],
      ['retention.bytes', '1000000', /retention.bytes=-1$/],
      ['message.timestamp.type', 'CreateTime', /message.timestamp.type=LogAppendTime$/],
      ['compression.type', 'zstd', /compression.type=producer$/],
      ['max.message.bytes', '1048588', /at least 29360128.*max.message.bytes=29360128$/],
    ])('%s=%s', async (setting, value, message) => {
      const place = logs.newPlace();
      await cluster.createTopic(place.topic, { ...GOOD, [setting]: value });

      const opening = logs.open(place);

      await expect(opening).rejects.toThrow(TopicSettingsError);
      await expect(opening).rejects.toThrow(message);
      await expect(opening).rejects.toMatchObject({ setting });
      expect((await settingsOf(place.topic))[setting]).toBe(value);
    });

    it('more than one partition', async () => {
      const place = logs.newPlace();
      await admin.createTopics({ topics: [{ topic: place.topic, numPartitions: 3 }] });

      await expect(logs.open(place)).rejects.toThrow(/3 partitions.*choose another topic/);
    });
  });

  it('may lose old records where that was asked for', async () => {
    const place = logs.newPlace();
    const topicSettings = { retentionMs: 86_400_000, retentionBytes: 1_000_000_000 };
    await logs.open(place, { topicSettings });

    expect(await settingsOf(place.topic)).toMatchObject({
      'retention.ms': '86400000',
      'retention.bytes': '1000000000',
    });
    await logs.open(logs.newPlace(place.topic), { topicSettings });
    await expect(logs.open(logs.newPlace(place.topic))).rejects.toThrow(TopicSettingsError);
  });

  it('may take less at once where the brokers allow no more', async () => {
    const place = logs.newPlace();
    const log = await logs.open(place, { topicSettings: { maxMessageBytes: 1_000_000 } });
    const event = (n: number) => proposedEvent(n, { json: Buffer.alloc(600_000, 'x') });

    await expect(log.append([event(1), event(2)])).rejects.toThrow(RangeError);
    expect(await Promise.all([log.append([event(1)]), log.append([event(2)])])).toEqual([1, 2]);
  });

  it('begins behind its parent in a fork', async () => {
    const place = logs.newPlace();
    const base = resourceVersion(1_000);
    const log = await logs.open(place, { base });

    expect([await log.newest(5_000), await log.oldest()]).toEqual([1_000, 1_001]);
    expect(await log.append([proposedEvent(1)])).toBe(1_001);
    expect(log.at(resourceVersion(1_001))?.sequence).toBe(1);
    expect(log.at(resourceVersion(1))).toBeUndefined();
    await log.close();
    const again = await logs.open(place, { base });
    expect(await again.append([proposedEvent(2)])).toBe(1_002);
    expect(again.at(resourceVersion(1_001))?.sequence).toBe(1);
    await again.close();

    await KafkaEventLog.delete(logs.options(place));
    await KafkaEventLog.delete(logs.options(place));
  });

  it('can be begun from a snapshot, behind which the rest is read', async () => {
    const { topic } = logs.newPlace();
    const first = await logs.open(logs.newPlace(topic));
    for (let n = 1; n <= 9; n += 1) await first.append([proposedEvent(n)]);
    await first.deleteBefore(resourceVersion(6));
    const unrestored = await logs.open(logs.newPlace(topic));
    await eventually('what is left', () => unrestored.at(resourceVersion(9)));
    expect(await unrestored.oldest()).toBe(6);
    const reading = unrestored.read(resourceVersion(1), new AbortController().signal);
    await expect(reading[Symbol.asyncIterator]().next()).rejects.toThrow(LogTrimmedError);

    const place = logs.newPlace(topic);
    const settled = resourceVersion(6);
    const restored = await logs.open(place, {
      async restore(point) {
        expect(point).toMatchObject({ local: undefined, oldest: 6, newest: 9 });
        const records = [2, 5].map((n) => {
          return { version: resourceVersion(n), frame: encodeRecord(proposedEvent(n)) };
        });
        const everything = { version: settled, time: 1 };
        const cuts = {
          settled,
          writers: new Map([['writer-a', 6]]),
          everything,
          resources: new Map(),
        };
        await point.adopt(
          Readable.from([records]),
          { version: settled, identity: 'writer-a:6' },
          cuts,
        );
      },
    });
    const versions: number[] = [];
    const { signal } = new AbortController();
    for await (const batch of restored.read(resourceVersion(1), signal)) {
      versions.push(...batch.map((event) => event.resourceVersion));
      if (versions.at(-1) === 9) break;
    }

    expect(versions).toEqual([2, 5, 7, 8, 9]);
    expect(await restored.oldest()).toBe(7);
    expect(restored.at(resourceVersion(6))).toBeUndefined();
    expect(restored.cuts().everything).not.toBe(NO_CUT);
    await restored.close();
    const again = await logs.open(place);
    expect(again.at(resourceVersion(5))?.sequence).toBe(5);
    expect(again.cuts().writers.get('writer-a')).toBe(6);
    expect(await again.append([proposedEvent(10)])).toBe(10);
  });

  it('says so when there is no Kafka', async () => {
    const nowhere = new EngineLogs(['127.0.0.1:9']);
    const opening = nowhere.open(nowhere.newPlace());

    await expect(opening).rejects.toThrow(LogUnavailableError);
    await expect(opening).rejects.toThrow(/127\.0\.0\.1:9 could not be asked/);
    await nowhere.remove();
  });
});
