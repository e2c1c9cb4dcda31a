/**
 * The proxy's faults against a real broker: what a client was told, and what the log holds.
 *
 * Without idempotence on, a client that repeats itself leaves two copies; that is what the
 * proxy is there to show.
 */
import { Kafka, logLevel, type Producer } from 'kafkajs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { eventually } from '../support/eventually.ts';
import type { KafkaCluster } from '../support/kafka-broker.ts';
import type { KafkaProxy } from '../support/kafka-proxy.ts';
import { describeWith } from '../support/requirements.ts';
import { recordsOf } from './records.ts';

const TOPIC = 'proxied';

await describeWith('kafka', 'a broker behind a proxy', (startKafka) => {
  let cluster: KafkaCluster;
  let proxy: KafkaProxy;
  let producer: Producer;

  beforeAll(async () => {
    cluster = await startKafka({ behindProxy: true });
    const [first] = cluster.proxies;
    if (first === undefined) throw new Error('There is a proxy in front of the broker.');
    proxy = first;
  });

  afterAll(() => cluster.stop());

  beforeEach(async ({ onTestFailed }) => {
    onTestFailed(() => {
      console.error(cluster.logs());
    });
    const kafka = new Kafka({
      brokers: [...cluster.bootstrap],
      logLevel: logLevel.NOTHING,
      requestTimeout: 1_000,
      retry: { retries: 0 },
    });
    await cluster.createTopic(TOPIC);
    producer = kafka.producer({ idempotent: false });
    await producer.connect();
  });

  afterEach(async () => {
    proxy.heal();
    await producer.disconnect();
    const admin = new Kafka({ brokers: [...cluster.direct], logLevel: logLevel.NOTHING }).admin();
    await admin.deleteTopics({ topics: [TOPIC] });
    await admin.disconnect();
  });

  const send = (value: string, acks = -1) =>
    producer.send({ topic: TOPIC, acks, messages: [{ value }] });
  const valuesInLog = () => recordsOf(cluster.direct, TOPIC);

  it('is led by the node that clients reach through the proxy', async () => {
    expect(await cluster.leaderOf(TOPIC)).toBe(1);
    const before = proxy.counts.produces;
    await send('a');
    expect(proxy.counts.produces).toBe(before + 1);
    expect(await valuesInLog()).toEqual(['a']);
  });

  describe.each(['cut', 'swallow'] as const)('when it should %s', (how) => {
    it('loses the response to what was written', async () => {
      proxy.lose({ count: 1, what: 'response', how });
      await expect(send('a')).rejects.toThrow();
      await send('b');
      expect(await valuesInLog()).toEqual(['a', 'b']);
    });

    it('loses the request, and nothing is written', async () => {
      proxy.lose({ count: 1, what: 'request', how });
      await expect(send('a')).rejects.toThrow();
      await send('b');
      expect(await valuesInLog()).toEqual(['b']);
    });
  });

  it('repeats a request, and answers the client once', async () => {
    proxy.repeat(1);
    expect(await send('a')).toMatchObject([{ baseOffset: '0' }]);
    expect(await send('b')).toMatchObject([{ baseOffset: '2' }]);
    expect(await valuesInLog()).toEqual(['a', 'a', 'b']);
  });

  it('does not take the answer of one request for that of another without an answer', async () => {
    await send('a', 0);
    proxy.lose({ count: 1, what: 'response', how: 'swallow' });
    await send('b', 0);
    expect(await send('c')).toMatchObject([{ baseOffset: '2' }]);
    expect(await valuesInLog()).toEqual(['a', 'b', 'c']);
  });

  it('delays every response', async () => {
    await send('a');
    proxy.delayResponses(200);
    const begun = Date.now();
    const sent = await Promise.all(['b', 'c', 'd'].map((value) => send(value)));
    expect(Date.now() - begun).toBeGreaterThanOrEqual(199);
    const offsets = sent.flat().map(({ baseOffset }) => baseOffset);
    expect(offsets.sort()).toEqual(['1', '2', '3']);
  });

  it('cuts connections and refuses new ones', async () => {
    proxy.refuseNew(true);
    proxy.cutAll();
    await expect(send('a')).rejects.toThrow();
    await expect(producer.connect().then(() => send('a'))).rejects.toThrow();
    expect(proxy.counts.refused).toBeGreaterThan(0);
    proxy.refuseNew(false);
    await producer.connect();
    await send('b');
    expect(await valuesInLog()).toEqual(['b']);
  });

  it('holds back while it is silent, and passes everything on afterwards', async () => {
    await send('a');
    proxy.blackhole(true);
    await expect(send('b')).rejects.toThrow(/timed out/);
    expect(await valuesInLog()).toEqual(['a']);
    proxy.blackhole(false);
    await eventually('the late record', async () => {
      return (await valuesInLog()).length === 2 || undefined;
    });
    await send('c');
    expect(await valuesInLog()).toEqual(['a', 'b', 'c']);
  });
});
