/** What the brokers that stand in for Kafka's answer to each request. */
import {
  bytes,
  int16,
  int32,
  int64,
  int8,
  list,
  nothing,
  string,
  type RequestBytes,
} from './kafka-wire.fixture.ts';
import { StandInTopic } from './stand-in-topic.fixture.ts';

/** By their numbers, with the version that is spoken. */
export const REQUESTS: ReadonlyMap<number, readonly [Request, number]> = new Map([
  [0, ['Produce', 7]],
  [1, ['Fetch', 11]],
  [2, ['ListOffsets', 3]],
  [3, ['Metadata', 1]],
  [18, ['ApiVersions', 2]],
  [19, ['CreateTopics', 0]],
  [20, ['DeleteTopics', 0]],
  [21, ['DeleteRecords', 0]],
  [32, ['DescribeConfigs', 0]],
]);

export type Request =
  | 'Produce'
  | 'Fetch'
  | 'ListOffsets'
  | 'Metadata'
  | 'ApiVersions'
  | 'CreateTopics'
  | 'DeleteTopics'
  | 'DeleteRecords'
  | 'DescribeConfigs';

const OFFSET_OUT_OF_RANGE = 1;
const UNKNOWN_TOPIC = 3;
const NOT_LEADER = 6;
const TOPIC_ALREADY_EXISTS = 36;
const LATEST = -1;
const EARLIEST = -2;
const NO_THROTTLE = int32(0);
const ALL_IN_SYNC_REPLICAS = -1;

export interface Cluster {
  readonly topics: Map<string, StandInTopic>;
  /** Of the brokers, by their numbers. */
  readonly ports: readonly number[];
  /** The number of the broker that leads all topics; -1 for none. */
  readonly leader: number;
  /** Gets each question about a topic. */
  readonly note: (asked: Asked) => void;
}

/** What was asked of a broker. */
export interface Asked {
  readonly broker: number;
  readonly request: Request;
  readonly topic: string;
  /** Where a fetch begins, or which end ListOffsets asks for. */
  readonly at?: number;
}

export interface Context {
  readonly cluster: Cluster;
  readonly broker: number;
  /** What the answer is to say; 0 for none. */
  readonly error: number;
}

type Answer = (body: RequestBytes, context: Context) => Buffer | Promise<Buffer>;

/** @throws where a broker would not understand the request. */
export const ANSWERS: Readonly<Record<Request, Answer>> = {
  ApiVersions: () => {
    const spoken = [...REQUESTS].map(([key, [, version]]) =>
      Buffer.concat([int16(key), int16(version), int16(version)]),
    );
    return Buffer.concat([int16(0), list(spoken), NO_THROTTLE]);
  },
  Metadata: (body, context) => {
    const names = body.list(() => body.string());
    body.end();
    note(context, 'Metadata', names.join());
    const brokers = context.cluster.ports.map((port, node) =>
      Buffer.concat([int32(node), string('127.0.0.1'), int32(port), nothing()]),
    );
    const topics = names.map((name) => metadataOf(name, context));
    const controller = int32(0);
    return Buffer.concat([list(brokers), controller, list(topics)]);
  },
  ListOffsets: (body, context) => {
    body.int32();
    body.int8();
    const { name, fields: time } = onlyPartitionIn(body, () => body.int64());
    body.end();
    if (time !== LATEST && time !== EARLIEST) throw new Error('an offset at a time');
    note(context, 'ListOffsets', name, time);
    const code = codeOf(name, context);
    const topic = context.cluster.topics.get(name);
    const offset = time === LATEST ? topic?.end : topic?.start;
    const fields = [int16(code), int64(-1), int64(code === 0 ? (offset ?? -1) : -1)];
    return Buffer.concat([NO_THROTTLE, onlyPartition(name, fields)]);
  },
  Produce: (body, context) => {
    body.string();
    if (body.int16() !== ALL_IN_SYNC_REPLICAS) throw new Error('not all replicas are waited for');
    body.int32();
    const { name, fields: batch } = onlyPartitionIn(body, () => body.bytes());
    body.end();
    note(context, 'Produce', name);
    const code = codeOf(name, context);
    const topic = context.cluster.topics.get(name);
    const base = code === 0 ? (topic?.append(batch) ?? -1) : -1;
    const fields = [int16(code), int64(base), int64(Date.now()), int64(topic?.start ?? -1)];
    return Buffer.concat([onlyPartition(name, fields), NO_THROTTLE]);
  },
  Fetch: async (body, context) => {
    const { name, offset, maxBytes, maxWaitMs } = fetchIn(body);
    note(context, 'Fetch', name, offset);
    const topic = context.cluster.topics.get(name);
    const isInside = topic !== undefined && topic.start <= offset && offset <= topic.end;
    const code = codeOf(name, context) || (isInside ? 0 : OFFSET_OUT_OF_RANGE);
    if (code === 0 && topic?.end === offset) await topic.news(maxWaitMs);
    const records = code === 0 && topic ? topic.read(offset, maxBytes) : Buffer.alloc(0);
    const end = int64(topic?.end ?? -1);
    const [noneAborted, noReplica] = [int32(-1), int32(-1)];
    const start = int64(topic?.start ?? -1);
    const fields = [int16(code), end, end, start, noneAborted, noReplica, bytes(records)];
    return Buffer.concat([NO_THROTTLE, int16(0), int32(0), onlyPartition(name, fields)]);
  },
  CreateTopics: (body, context) => {
    const made = body.list(() => {
      const [name, partitions, replicas] = [body.string(), body.int32(), body.int16()];
      body.list(() => body.int32());
      const settings = Object.fromEntries(body.list(() => [body.string(), body.string()]));
      note(context, 'CreateTopics', name);
      const { topics } = context.cluster;
      const code = context.error || (topics.has(name) ? TOPIC_ALREADY_EXISTS : 0);
      if (code === 0) topics.set(name, new StandInTopic(settings, { partitions, replicas }));
      return Buffer.concat([string(name), int16(code)]);
    });
    body.int32();
    body.end();
    return list(made);
  },
  DeleteTopics: (body, context) => {
    const gone = body.list(() => {
      const name = body.string();
      note(context, 'DeleteTopics', name);
      const isGone = context.cluster.topics.delete(name);
      return Buffer.concat([string(name), int16(context.error || (isGone ? 0 : UNKNOWN_TOPIC))]);
    });
    body.int32();
    body.end();
    return list(gone);
  },
  DeleteRecords: (body, context) => {
    const { name, fields: offset } = onlyPartitionIn(body, () => body.int64());
    body.int32();
    body.end();
    note(context, 'DeleteRecords', name, offset);
    const code = codeOf(name, context);
    const topic = context.cluster.topics.get(name);
    const isInside = topic !== undefined && offset <= topic.end;
    if (code === 0 && isInside) topic.deleteBefore(offset);
    const fields = [int64(topic?.start ?? -1), int16(code || (isInside ? 0 : OFFSET_OUT_OF_RANGE))];
    return Buffer.concat([NO_THROTTLE, onlyPartition(name, fields)]);
  },
  DescribeConfigs: (body, context) => {
    const described = body.list(() => {
      const [type, name] = [body.int8(), body.string()];
      body.list(() => body.string());
      note(context, 'DescribeConfigs', name);
      const topic = context.cluster.topics.get(name);
      const entries = [...(topic?.settings ?? [])].map(([setting, value]) =>
        Buffer.concat([string(setting), string(value), int8(0), int8(0), int8(0)]),
      );
      const code = context.error || (topic === undefined ? UNKNOWN_TOPIC : 0);
      return Buffer.concat([int16(code), nothing(), int8(type), string(name), list(entries)]);
    });
    body.end();
    return Buffer.concat([NO_THROTTLE, list(described)]);
  },
};

function note({ cluster, broker }: Context, request: Request, topic: string, at?: number): void {
  cluster.note({ broker, request, topic, ...(at !== undefined && { at }) });
}

/** What the broker says of the partition that is asked about. */
function codeOf(topic: string, { cluster, broker, error }: Context): number {
  if (error !== 0) return error;
  if (!cluster.topics.has(topic)) return UNKNOWN_TOPIC;
  return broker === cluster.leader ? 0 : NOT_LEADER;
}

function fetchIn(body: RequestBytes) {
  if (body.int32() !== -1) throw new Error('only brokers fetch as replicas');
  const maxWaitMs = body.int32();
  const [minBytes, maxBytes, isolation] = [body.int32(), body.int32(), body.int8()];
  if (minBytes !== 1 || isolation !== 0) throw new Error('a fetch that hides news');
  const [session, epoch] = [body.int32(), body.int32()];
  if (session !== 0 || epoch !== -1) throw new Error('a session of fetches');
  const { name, fields: offset } = onlyPartitionIn(body, () => {
    body.int32();
    const from = body.int64();
    body.int64();
    if (body.int32() !== maxBytes) throw new Error('less than all for the only partition');
    return from;
  });
  body.list(() => body.string());
  body.string();
  body.end();
  return { name, offset, maxBytes, maxWaitMs };
}

/** The only partition of the only topic of a request; `read` takes its fields. */
function onlyPartitionIn<Fields>(body: RequestBytes, read: () => Fields) {
  const found = body.list(() => {
    const name = body.string();
    const partitions = body.list(() => ({ number: body.int32(), fields: read() }));
    return partitions.map((partition) => ({ name, ...partition }));
  });
  const [only, ...others] = found.flat();
  if (only?.number !== 0 || others.length > 0) throw new Error('a log is one partition');
  return only;
}

function onlyPartition(topic: string, fields: readonly Buffer[]): Buffer {
  const partition = Buffer.concat([int32(0), ...fields]);
  return list([Buffer.concat([string(topic), list([partition])])]);
}

function metadataOf(name: string, { cluster, error }: Context): Buffer {
  const topic = cluster.topics.get(name);
  const code = error || (topic === undefined ? UNKNOWN_TOPIC : 0);
  const replicas = list(Array.from({ length: topic?.replicas ?? 0 }, (_, at) => int32(at)));
  const partitions = Array.from({ length: topic?.partitions ?? 0 }, (_, partition) =>
    Buffer.concat([int16(0), int32(partition), int32(cluster.leader), replicas, replicas]),
  );
  return Buffer.concat([int16(code), string(name), int8(0), list(partitions)]);
}
