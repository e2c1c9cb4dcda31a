/**
 * The topic that is the log: made with the settings that make it one, and checked at every start,
 * since a wrong setting would lose records in silence, much later.
 */
import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX, LogUnavailableError } from '../event-log.ts';
import { TopicSettingsError } from './kafka-errors.ts';
import type { TopicSettings } from './kafka-options.ts';
import { saslOf, sslOf, type SessionParts } from './kafka-session.ts';

/** What a topic is like, as far as it matters. Settings that the broker does not tell are absent. */
export interface TopicFacts {
  readonly topic: string;
  readonly partitions: number;
  readonly replicas: number;
  readonly settings: ReadonlyMap<string, string>;
}

export interface TopicParts extends SessionParts {
  readonly brokers: readonly string[];
  readonly settings: TopicSettings;
  /** Whether a topic that is not there is an error: for servers that only read. */
  readonly mustExist?: boolean | undefined;
}

/** How much longer a record can be than the embedded log's frame, whose limit an append keeps. */
const HEADERS_BYTES = 1_024;

/**
 * An append is one batch, which Kafka takes whole or not at all and never splits; so the topic must
 * take the largest append. A record repeats the names of a frame up to three times (in its key and
 * its CloudEvents headers) and adds less than a kibibyte: at most 28 MiB, for 8 MiB of nothing but
 * names. Raising the limit costs a broker nothing until such a batch comes. The brokers' own
 * `message.max.bytes` is only the default for topics without this setting, and fetches (those
 * of followers too) return a first batch that is larger than they asked for.
 */
export const BATCH_BYTES_NEEDED = 3 * APPEND_BYTES_MAX + APPEND_EVENTS_MAX * HEADERS_BYTES;

export const TOPIC_SETTINGS: TopicSettings = {
  replicationFactor: 'auto',
  retentionMs: undefined,
  retentionBytes: undefined,
  maxMessageBytes: BATCH_BYTES_NEEDED,
};

const REPLICAS = 3;
const SEGMENT_BYTES = 512 * 1024 * 1024;
const UNLIMITED = -1;
const RETRIES = 5;
const NEW_TOPIC_MS = 10_000;
const NEW_TOPIC_PAUSE_MS = 25;

/** Makes the topic if it is not there, and checks it. Several servers may do so at once. */
export async function prepareTopic(parts: TopicParts): Promise<void> {
  await withAdmin(parts, async (admin) => {
    const found = await readTopic(admin, parts.topic);
    if (found === undefined && parts.mustExist === true) {
      throw new TopicSettingsError('topic', `there is no topic ${parts.topic}`);
    }
    const facts = found ?? (await createTopic(admin, parts));
    checkTopic(facts, parts.settings);
  });
}

export interface Compaction {
  readonly segmentBytes: number;
  /** Of what is not compacted, before it is. */
  readonly dirtyRatio: string;
  /** What was replaced is gone some time behind this; undefined: when there is enough of it. */
  readonly lagMaxMs?: number;
}

/** Makes a compacted topic, if it is not there. */
export async function prepareCompactedTopic(
  parts: TopicParts,
  { segmentBytes, dirtyRatio, lagMaxMs }: Compaction,
): Promise<void> {
  await withAdmin(parts, async (admin) => {
    if ((await readPartitions(admin, parts.topic)) !== undefined) return;
    const { topic, settings } = parts;
    const replicas = await replicasOf(admin, settings);
    const config = {
      'cleanup.policy': 'compact',
      'unclean.leader.election.enable': 'false',
      'min.insync.replicas': String(insyncOf(replicas)),
      'max.message.bytes': String(settings.maxMessageBytes),
      'segment.bytes': String(segmentBytes),
      'min.cleanable.dirty.ratio': dirtyRatio,
      ...(lagMaxMs === undefined ? {} : { 'max.compaction.lag.ms': String(lagMaxMs) }),
    };
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
    const replicationFactor = replicas;
    await admin.createTopics({
      waitForLeaders: true,
      topics: [{ topic, numPartitions: 1, replicationFactor, configEntries }],
    });
  });
}

function insyncOf(replicas: number): number {
  return replicas >= REPLICAS ? (replicas >> 1) + 1 : 1;
}

/** Removes the records before this offset from the topic, if there are any. */
export async function deleteRecordsBefore(parts: TopicParts, offset: number): Promise<void> {
  await withAdmin(parts, async (admin) => {
    // kafkajs knows of no topic that it was not asked about in this way.
    const [range] = await admin.fetchTopicOffsets(parts.topic);
    if (range === undefined || offset <= Number(range.low)) return;
    const upTo = Math.min(offset, Number(range.high));
    const partitions = [{ partition: 0, offset: String(upTo) }];
    await admin.deleteTopicRecords({ topic: parts.topic, partitions });
  });
}

/** @throws {LogUnavailableError} Kafka cannot be reached. */
export async function topicExists(parts: TopicParts): Promise<boolean> {
  let exists = false;
  await withAdmin(parts, async (admin) => {
    exists = (await readPartitions(admin, parts.topic)) !== undefined;
  });
  return exists;
}

/** Removes the topic, with all that is in it. One that is not there is no error. */
export async function deleteTopic(parts: TopicParts): Promise<void> {
  await withAdmin(parts, async (admin) => {
    if ((await readPartitions(admin, parts.topic)) === undefined) return;
    // A broker names a topic for a moment after it has gone.
    await unlessUnknown(admin.deleteTopics({ topics: [parts.topic] }));
  });
}

/** @throws {TopicSettingsError} what is wrong first, and how to put it right. */
export function checkTopic(facts: TopicFacts, wanted: TopicSettings): void {
  const { topic, partitions } = facts;
  if (partitions !== 1) {
    throw new TopicSettingsError(
      'partitions',
      `the topic ${topic} has ${String(partitions)} partitions, and a log is one order of all ` +
        `records, so it must have 1. That cannot be changed: choose another topic`,
    );
  }
  for (const check of CHECKS) {
    const value = facts.settings.get(check.setting);
    const needed = value === undefined ? undefined : check.needed(value, wanted, facts);
    if (value === undefined || needed === undefined) continue;
    throw new TopicSettingsError(
      check.setting,
      `the topic ${topic} has ${check.setting}=${value}, and ${check.why}: it must be ` +
        `${needed.rule ?? needed.value}. Put it right with: kafka-configs.sh --bootstrap-server ` +
        `HOST:PORT --alter --entity-type topics --entity-name ${topic} --add-config ` +
        `${check.setting}=${needed.value}`,
    );
  }
}

interface Needed {
  /** One that would do, as kafka-configs takes it. */
  readonly value: string;
  /** In words, where other values would do as well. */
  readonly rule?: string;
}

interface Check {
  readonly setting: string;
  readonly why: string;
  /** Undefined when the value will do. */
  needed(value: string, wanted: TopicSettings, facts: TopicFacts): Needed | undefined;
}

const CHECKS: readonly Check[] = [
  {
    setting: 'cleanup.policy',
    why: 'compaction removes records from the middle of the log',
    needed: (value) => (value === 'delete' ? undefined : { value: 'delete' }),
  },
  {
    setting: 'unclean.leader.election.enable',
    why: 'a leader that lacks acknowledged records would lose them for all',
    needed: (value) => (value === 'false' ? undefined : { value: 'false' }),
  },
  {
    setting: 'min.insync.replicas',
    why: 'a record that only one broker has is lost with that broker',
    needed(value, _wanted, { replicas }) {
      const least = replicas >= REPLICAS ? replicas >> 1 : 0;
      return Number(value) > least ? undefined : { value: String(least + 1) };
    },
  },
  {
    setting: 'retention.ms',
    why: 'Kafka removes records sooner than was asked for',
    needed: (value, { retentionMs }) => atLeast(value, retentionMs),
  },
  {
    setting: 'retention.bytes',
    why: 'Kafka removes records sooner than was asked for',
    needed: (value, { retentionBytes }) => atLeast(value, retentionBytes),
  },
  {
    setting: 'message.timestamp.type',
    why: 'the time of a record must be the broker’s, which retention goes by',
    needed: (value) => (value === 'LogAppendTime' ? undefined : { value: 'LogAppendTime' }),
  },
  {
    setting: 'compression.type',
    why: 'the broker would compress the records in a way that is not read here',
    needed: (value) =>
      ['producer', 'uncompressed', 'gzip'].includes(value) ? undefined : { value: 'producer' },
  },
  {
    setting: 'max.message.bytes',
    why: 'an append that is larger could never be written',
    needed(value, { maxMessageBytes }) {
      if (Number(value) >= maxMessageBytes) return undefined;
      return { value: String(maxMessageBytes), rule: `at least ${String(maxMessageBytes)}` };
    },
  },
];

/** -1 is for ever. */
function atLeast(value: string, wanted: number | undefined): Needed | undefined {
  const kept = Number(value);
  if (kept === UNLIMITED || (wanted !== undefined && kept >= wanted)) return undefined;
  if (wanted === undefined) return { value: String(UNLIMITED), rule: '-1 (for ever)' };
  return { value: String(wanted), rule: `at least ${String(wanted)}, or -1 (for ever)` };
}

async function createTopic(admin: Admin, parts: TopicParts): Promise<TopicFacts> {
  const { topic, settings } = parts;
  const replicas = await replicasOf(admin, settings);
  const config = {
    'cleanup.policy': 'delete',
    'unclean.leader.election.enable': 'false',
    'min.insync.replicas': String(insyncOf(replicas)),
    'retention.ms': String(settings.retentionMs ?? UNLIMITED),
    'retention.bytes': String(settings.retentionBytes ?? UNLIMITED),
    'message.timestamp.type': 'LogAppendTime',
    'compression.type': 'producer',
    'max.message.bytes': String(settings.maxMessageBytes),
    'segment.bytes': String(SEGMENT_BYTES),
  };
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
  // False when another server was quicker; what it made is checked like any other. It is not told
  // to wait: then it fails where the broker that it asks has not heard of the topic yet.
  await admin.createTopics({
    waitForLeaders: false,
    topics: [{ topic, numPartitions: 1, replicationFactor: replicas, configEntries }],
  });
  return await readNewTopic(admin, parts);
}

async function readNewTopic(admin: Admin, { topic, clock }: TopicParts): Promise<TopicFacts> {
  const giveUpAt = clock.now() + NEW_TOPIC_MS;
  for (;;) {
    const facts = await readTopic(admin, topic);
    if (facts !== undefined) return facts;
    if (clock.now() >= giveUpAt) {
      throw new LogUnavailableError(`the topic ${topic} was made, but is not there`, {
        isPassing: true,
      });
    }
    await new Promise<void>((resolve) => {
      clock.after(NEW_TOPIC_PAUSE_MS, resolve);
    });
  }
}

async function replicasOf(admin: Admin, settings: TopicSettings): Promise<number> {
  if (settings.replicationFactor !== 'auto') return settings.replicationFactor;
  const { brokers } = await admin.describeCluster();
  return brokers.length >= REPLICAS ? REPLICAS : 1;
}

async function readTopic(admin: Admin, topic: string): Promise<TopicFacts | undefined> {
  const partitions = await readPartitions(admin, topic);
  if (partitions === undefined) return undefined;
  const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }];
  const described = await unlessUnknown(
    admin.describeConfigs({ resources, includeSynonyms: false }),
  );
  if (described === undefined) return undefined;
  const entries = described.resources[0]?.configEntries ?? [];
  return {
    topic,
    partitions: partitions.length,
    replicas: partitions[0]?.replicas.length ?? 0,
    settings: new Map(entries.map(({ configName, configValue }) => [configName, configValue])),
  };
}

async function readPartitions(admin: Admin, topic: string) {
  const found = await unlessUnknown(admin.fetchTopicMetadata({ topics: [topic] }));
  return found?.topics[0]?.partitions;
}

/** undefined: the broker knows no such topic. */
async function unlessUnknown<Asked>(asked: Promise<Asked>): Promise<Asked | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return undefined;
    throw error;
  }
}

/** What kafkajs calls the error that a broker answered with. */
function typeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return 'type' in error ? error.type : typeOf(error.cause);
}

/** @throws {LogUnavailableError} Kafka does not answer, or does not let us. */
async function withAdmin<T>(parts: TopicParts, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = clientOf(parts).admin({ retry: { retries: RETRIES } });
  try {
    await admin.connect();
    return await work(admin);
  } catch (error) {
    if (error instanceof TopicSettingsError || error instanceof LogUnavailableError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new LogUnavailableError(
      `Kafka at ${parts.brokers.join(', ')} could not be asked about the topic ${parts.topic}: ${why}`,
      { cause: error },
    );
  } finally {
    await admin.disconnect();
  }
}

function clientOf({ brokers, clientId, tls, sasl, timeouts, events }: TopicParts): Kafka {
  const ssl = sslOf(tls);
  const authentication = saslOf(sasl);
  return new kafkajs.Kafka({
    brokers: [...brokers],
    clientId,
    ...(ssl !== undefined && { ssl }),
    // One of the mechanisms that kafkajs knows, in its own words.
    ...(authentication !== undefined && { sasl: authentication as never }),
    connectionTimeout: timeouts.connectMs,
    authenticationTimeout: timeouts.connectMs,
    requestTimeout: Math.max(timeouts.requestMs, ADMIN_REQUEST_MS),
    logLevel: kafkajs.logLevel.WARN,
    logCreator:
      () =>
      ({ level, log }) => {
        const isError = level === kafkajs.logLevel.ERROR;
        events.clientLog(isError ? 'error' : 'warn', log.message, log);
      },
  });
}

/** A topic takes longer to make than a record to write. */
const ADMIN_REQUEST_MS = 10_000;
