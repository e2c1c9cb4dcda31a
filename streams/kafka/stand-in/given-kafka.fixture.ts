/** Brokers that stand in for Kafka's, and the parts of the engine that talk to them. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../api/meta/clock.ts';
import { EngineLogs } from '../engine-logs.fixture.ts';
import { topicParts } from '../kafka-event-log.ts';
import type { KafkaLogEvents, KafkaTimeouts } from '../kafka-options.ts';
import type { TopicParts } from '../kafka-topic.ts';
import { StandInKafka } from './stand-in-kafka.fixture.ts';
import { StandInTopic } from './stand-in-topic.fixture.ts';

/** A machine that is busy is no broker that hangs. */
export const PATIENT: KafkaTimeouts = {
  connectMs: 20_000,
  requestMs: 20_000,
  produceMs: 10_000,
  fetchWaitMs: 5_000,
  unreachableAfterMs: 60_000,
  leaderCheckMs: 60_000,
};

/** With these a topic is accepted as a log. */
export const LOG_SETTINGS: Readonly<Record<string, string>> = {
  'retention.ms': '-1',
  'message.timestamp.type': 'LogAppendTime',
  'max.message.bytes': String(64 * 1024 * 1024),
};

export interface GivenKafka {
  readonly kafka: StandInKafka;
  readonly logs: EngineLogs;
  /** The name of a topic that is there. */
  readonly topic: string;
  readonly parts: TopicParts;
  /** What the engine told, as its name and what comes with it. */
  readonly told: (readonly [keyof KafkaLogEvents, ...unknown[]])[];
  stop(): Promise<void>;
}

export async function givenKafka(
  options: { brokers?: number; clock?: Clock; timeouts?: Partial<KafkaTimeouts> } = {},
): Promise<GivenKafka> {
  const kafka = await StandInKafka.start(options.brokers);
  const logs = new EngineLogs(kafka.brokers);
  const topic = `log-${randomUUID()}`;
  kafka.topics.set(topic, new StandInTopic(LOG_SETTINGS));
  const told: GivenKafka['told'] = [];
  const events: KafkaLogEvents = {
    connection: (...given) => told.push(['connection', ...given]),
    appended: (...given) => told.push(['appended', ...given]),
    fetched: (...given) => told.push(['fetched', ...given]),
    problem: (...given) => told.push(['problem', ...given]),
    clientLog: (...given) => told.push(['clientLog', ...given]),
  };
  const timeouts = { ...PATIENT, ...options.timeouts };
  const clock = options.clock === undefined ? {} : { clock: options.clock };
  const parts = topicParts(logs.options(logs.newPlace(topic), { timeouts, events, ...clock }));
  const stop = async (): Promise<void> => {
    await logs.remove();
    await kafka.stop();
  };
  return { kafka, logs, topic, parts, told, stop };
}
