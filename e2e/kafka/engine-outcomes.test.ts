/**
 * What becomes of an append when its answer is lost, side by side with kafkajs's idempotent
 * producer in the same trouble; and what the log does about records and topics that are not its own.
 */
import { randomUUID } from 'node:crypto';
import kafkajs, { Kafka, logLevel, type Producer } from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { recordOf } from '../../streams/event-codec.ts';
import { proposedEvent } from '../../streams/proposed-event.fixture.ts';
import { AppendOutcomeUnknownError, LogUnavailableError } from '../../streams/event-log.ts';
import {
  ForeignRecordError,
  LocalCopyError,
  LogGapError,
  TopicReplacedError,
} from '../../streams/kafka/kafka-errors.ts';
import type { KafkaEventLog } from '../../streams/kafka/kafka-event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { eventually } from '../support/eventually.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import type { KafkaProxy } from '../support/kafka-proxy.ts';
import { describeWith } from '../support/requirements.ts';
import { EngineFold } from './engine-fold.ts';
import { EngineLogs } from '../../streams/kafka/engine-logs.fixture.ts';
import { recordsOf } from './records.ts';

process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';

await describeWith('kafka', 'the Kafka engine', (startKafka) => {
  let cluster: KafkaCluster;
  let proxy: KafkaProxy;
  let logs: EngineLogs;
  let kafka: Kafka;

  beforeAll(async () => {
    cluster = await startKafka({ behindProxy: true });
    const [first] = cluster.proxies;
    if (first === undefined) throw new Error('There is a proxy in front of the broker.');
    proxy = first;
    logs = new EngineLogs(cluster.bootstrap);
    kafka = new Kafka({ brokers: [...cluster.direct], logLevel: logLevel.NOTHING });
  });

  afterAll(async () => {
    await logs.remove();
    await cluster.stop();
  });

  afterEach(() => {
    proxy.heal();
  });

  async function asAdmin(work: (admin: ReturnType<Kafka['admin']>) => Promise<unknown>) {
    const admin = kafka.admin();
    await admin.connect();
    try {
      await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  async function withProducer(
    work: (producer: Producer) => Promise<unknown>,
    options: Parameters<Kafka['producer']>[0] = {},
  ): Promise<void> {
    const producer = kafka.producer(options);
    await producer.connect();
    try {
      await work(producer);
    } finally {
      await producer.disconnect();
    }
  }

  /** Resolves with why reading of this log has ended. */
  async function failureOf(log: KafkaEventLog): Promise<unknown> {
    const failure = await eventually('the end of reading', () => log.failure);
    expect(failure).toBeInstanceOf(LogUnavailableError);
    await expect(log.append([proposedEvent(99)])).rejects.toBe(failure);
    await expect(log.newest(1_000)).rejects.toBe(failure);
    const reader = log.read(resourceVersion(1), new AbortController().signal);
    await expect(reader[Symbol.asyncIterator]().next()).rejects.toBe(failure.cause);
    return failure.cause;
  }

  describe('when the leader was elected just now', () => {
    it('starts, restores, tells the end and appends once that leader knows its own end', async () => {
      const { topic } = logs.newPlace();
      const first = await logs.open(logs.newPlace(topic));
      expect(await first.append([proposedEvent(1)])).toBe(1);
      const place = logs.newPlace(topic);
      let told: unknown;
      proxy.lookNew(4);
      const log = await logs.open(place, {
        restore({ oldest, newest }) {
          told = { oldest, newest };
          return Promise.resolve();
        },
      });
      expect(told).toEqual({ oldest: 1, newest: 1 });
      proxy.lookNew(3);
      expect(await log.newest(10_000)).toBe(1);
      proxy.lookNew(2);
      const { reconnects } = log.statistics;
      proxy.cutAll();
      await eventually(
        'the next connection',
        () => log.statistics.reconnects > reconnects || undefined,
      );
      expect(await log.append([proposedEvent(2)])).toBe(2);
    });
  });

  describe('when the answer to an append is lost', () => {
    it('keeps every commit and counts none twice, where an idempotent kafkajs loses one', async () => {
      const topic = `idempotent-${randomUUID()}`;
      await cluster.createTopic(topic);
      const lossy = new Kafka({ brokers: [...cluster.bootstrap], logLevel: logLevel.NOTHING });
      const producer = lossy.producer({ idempotent: true, maxInFlightRequests: 1 });
      await producer.connect();
      const send = (value: string) =>
        producer.send({ topic, acks: -1, messages: [{ value }] }).then(() => value);
      await send('A');
      proxy.lose({ count: 1, what: 'response', how: 'cut' });
      const sent = await Promise.allSettled(['B', 'C', 'D'].map(send));
      await producer.disconnect();
      const acknowledged = sent.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const kept = await recordsOf(cluster.direct, topic);
      const lost = acknowledged.filter((value) => !kept.includes(value));
      console.log(
        `kafkajs idempotent: acknowledged ${acknowledged.join('')}, log ${kept.join('')}`,
      );
      expect(lost, 'acknowledged and not in the log').not.toEqual([]);

      const log = await logs.open(logs.newPlace());
      const fold = new EngineFold(log);
      expect((await fold.create('a')).kind).toBe('committed');
      proxy.lose({ count: 1, what: 'response', how: 'cut' });
      const commits = await Promise.all(['b', 'c', 'd'].map((name) => fold.create(name)));

      expect(commits.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'committed']);
      expect(fold.made).toEqual(['a', 'b', 'c', 'd']);
      // A commit is known by its record, which may be read before its answer is lost.
      await eventually('both losses', () => proxy.counts.lostResponses === 2 || undefined);
      await fold.stop();
    });

    it.each([
      ['the request', 'request', 'cut'],
      ['the request, in silence', 'request', 'swallow'],
      ['the answer', 'response', 'cut'],
      ['the answer, in silence', 'response', 'swallow'],
    ] as const)('says that it does not know, having lost %s, and goes on', async (_, what, how) => {
      const log = await logs.open(logs.newPlace());
      await log.append([proposedEvent(1)]);
      proxy.lose({ count: 1, what, how });

      await expect(log.append([proposedEvent(2)])).rejects.toThrow(AppendOutcomeUnknownError);

      const again = await log.append([proposedEvent(2)]);
      expect(again).toBe(what === 'request' ? 2 : 3);
      expect(log.at(resourceVersion(again))?.sequence).toBe(2);
      expect(log.connection.state).toBe('connected');
    });

    it('survives many losses under load with every commit in its place', async () => {
      const log = await logs.open(logs.newPlace());
      const fold = new EngineFold(log);
      const names = Array.from({ length: 400 }, (_, index) => `object-${String(index)}`);
      const queue = [...names];
      let losses = 0;
      async function work(): Promise<void> {
        for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
          if (queue.length % 50 === 0) {
            proxy.lose({ count: 1, what: losses % 3 === 0 ? 'request' : 'response', how: 'cut' });
            losses += 1;
          }
          if (queue.length % 70 === 0) proxy.repeat(1);
          expect((await fold.create(name)).kind).toBe('committed');
        }
      }
      await Promise.all(Array.from({ length: 8 }, work));

      expect(losses).toBeGreaterThan(5);
      expect([...fold.made].sort()).toEqual([...names].sort());
      await fold.stop();
    });

    it('waits for a broker that was away for a moment, and writes nothing twice', async () => {
      const log = await logs.open(logs.newPlace());
      await log.append([proposedEvent(1)]);
      proxy.refuseNew(true);
      proxy.cutAll();
      await eventually('the loss', () => log.connection.state === 'reconnecting' || undefined);
      const append = log.append([proposedEvent(2)]);
      proxy.heal();

      expect(await append).toBe(2);
      expect(log.statistics.reconnects).toBeGreaterThan(0);
    });
  });

  describe('when something else is in the topic', () => {
    async function opened(events = 2) {
      const place = logs.newPlace();
      const log = await logs.open(place);
      for (let n = 1; n <= events; n += 1) await log.append([proposedEvent(n)]);
      return { place, log };
    }

    const ours = recordOf(proposedEvent(3));
    const value = Buffer.from(ours.value);
    it.each([
      ['a record of another program', { key: 'k', value: 'v' }, /its key is not/],
      ['a tombstone', { ...ours, value: null }, /it has no value/],
      ['a record without a key', { ...ours, value, key: null }, /it has no key/],
      [
        'a damaged header',
        { ...ours, value, headers: { ...ours.headers, sequence: 'x' } },
        /header sequence is not a whole number/,
      ],
    ])('ends at %s, names its offset, and says what came before', async (_, message, why) => {
      const { log, place } = await opened();
      await withProducer((producer) => producer.send({ topic: place.topic, messages: [message] }));

      const failure = await failureOf(log);

      expect(failure).toBeInstanceOf(ForeignRecordError);
      expect(failure).toMatchObject({ version: 3 });
      expect(String(failure)).toMatch(/offset 2 .*\(version 3\)/);
      expect(String(failure)).toMatch(why);
      expect(log.at(resourceVersion(2))?.sequence).toBe(2);
    });

    it('ends at the mark of a transaction', async () => {
      const { log, place } = await opened();
      await withProducer(
        async (producer) => {
          const transaction = await producer.transaction();
          await transaction.send({ topic: place.topic, messages: [{ ...ours, value }] });
          await transaction.commit();
        },
        { transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 },
      );

      const failure = await failureOf(log);

      expect(failure).toBeInstanceOf(ForeignRecordError);
      expect(String(failure)).toMatch(/mark of a transaction/);
    });

    it('reads records that another client has compressed with gzip', async () => {
      const { log, place } = await opened();
      await withProducer((producer) =>
        producer.send({
          topic: place.topic,
          compression: kafkajs.CompressionTypes.GZIP,
          messages: [{ ...ours, value }],
        }),
      );

      await eventually('the record', () => log.at(resourceVersion(3)));
      expect(log.at(resourceVersion(3))?.json.toString()).toBe(value.toString());
    });
  });

  describe('when the topic is not the one that was read', () => {
    it('ends when it was deleted and made again', async () => {
      const place = logs.newPlace();
      const log = await logs.open(place);
      for (let n = 1; n <= 3; n += 1) await log.append([proposedEvent(n)]);
      await asAdmin((admin) => admin.deleteTopics({ topics: [place.topic] }));
      await eventually('the loss', () => log.connection.state !== 'connected' || undefined);
      const other = await logs.open(logs.newPlace(place.topic));
      for (let n = 1; n <= 5; n += 1) await other.append([proposedEvent(n, { writer: 'other' })]);

      const failure = await failureOf(log);

      expect(failure).toBeInstanceOf(TopicReplacedError);
      expect(String(failure)).toMatch(/remove the local copy/);
      expect(log.at(resourceVersion(3))?.writer).toBe('writer-a');
      expect(log.at(resourceVersion(4))).toBeUndefined();
    });

    it('ends at the next start too, even if the new one is shorter', async () => {
      const place = logs.newPlace();
      const log = await logs.open(place);
      for (let n = 1; n <= 3; n += 1) await log.append([proposedEvent(n)]);
      await log.close();
      await asAdmin((admin) => admin.deleteTopics({ topics: [place.topic] }));
      await eventually('the end of the topic', async () => {
        await cluster.createTopic(place.topic, {
          'message.timestamp.type': 'LogAppendTime',
          'max.message.bytes': '40000000',
          'retention.ms': '-1',
        });
        return true;
      });

      const again = await logs.open(place);

      expect(await failureOf(again)).toBeInstanceOf(TopicReplacedError);
    });

    it('refuses the copy of another topic, and leaves it as it is', async () => {
      const place = logs.newPlace();
      const log = await logs.open(place);
      await log.append([proposedEvent(1)]);
      await log.close();

      const wrong = logs.open({ ...place, topic: `log-${randomUUID()}` });
      await expect(wrong).rejects.toThrow(LocalCopyError);
      await expect(wrong).rejects.toThrow(new RegExp(`copy of the topic ${place.topic} `));

      const again = await logs.open(place);
      expect(again.at(resourceVersion(1))?.sequence).toBe(1);
    });

    it('ends when Kafka has removed what it did not read yet', async () => {
      const place = logs.newPlace();
      const log = await logs.open(place);
      await log.append([proposedEvent(1)]);
      await log.close();
      const other = await logs.open(logs.newPlace(place.topic));
      await other.append([2, 3, 4, 5].map((n) => proposedEvent(n)));
      await other.deleteBefore(resourceVersion(4));

      const again = await logs.open(place);
      const failure = await failureOf(again);

      expect(failure).toBeInstanceOf(LogGapError);
      expect(String(failure)).toMatch(/begins at version 4, .* up to 1 only/);
      // A reader that has read it already is not concerned.
      expect(await other.append([proposedEvent(6)])).toBe(6);
      expect(other.at(resourceVersion(2))?.sequence).toBe(2);
    });
  });
});
