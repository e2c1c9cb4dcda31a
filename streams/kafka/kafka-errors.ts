/**
 * What can go wrong with a topic, and what the error of a produce request says about whether the
 * records were written: the most important question there is, so anything unknown means "perhaps".
 */
import { AppendOutcomeUnknownError, LogUnavailableError } from '../event-log.ts';
import type { ResourceVersion } from '../resource-version.ts';

/** The topic is not fit to be a log. The message says what is wrong and what mends it. */
export class TopicSettingsError extends Error {
  override readonly name = 'TopicSettingsError';
  /** The setting that is wrong, as Kafka calls it. */
  readonly setting: string;

  constructor(setting: string, message: string) {
    super(message);
    this.setting = setting;
  }
}

/** What is in the topic now is not what was read from it before: nothing can be built upon it. */
export class TopicReplacedError extends Error {
  override readonly name = 'TopicReplacedError';
}

/** The local copy is of another topic, or in another format. */
export class LocalCopyError extends Error {
  override readonly name = 'LocalCopyError';
}

/** The topic begins behind what was read last: what lies between is lost to this server. */
export class LogGapError extends Error {
  override readonly name = 'LogGapError';
}

/** A record that no server wrote, or a damaged one. To read on past it would be to lose a change. */
export class ForeignRecordError extends Error {
  override readonly name = 'ForeignRecordError';
  readonly version: ResourceVersion;

  constructor(message: string, version: ResourceVersion, options?: ErrorOptions) {
    super(message, options);
    this.version = version;
  }
}

/** A broker's answer was an error. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  readonly code: number;

  constructor(request: string, code: number) {
    super(`${request} was answered with ${ERROR_NAMES.get(code) ?? `error ${String(code)}`}`);
    this.code = code;
  }
}

/** No answer in time. */
export class RequestTimeoutError extends Error {
  override readonly name = 'RequestTimeoutError';
}

export const OFFSET_OUT_OF_RANGE = 1;
export const UNKNOWN_TOPIC = 3;
export const NOT_LEADER = 6;
const LEADER_NOT_AVAILABLE = 5;
const REQUEST_TIMED_OUT = 7;
const MESSAGE_TOO_LARGE = 10;
const NOT_ENOUGH_REPLICAS = 19;
const NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20;
const TOPIC_AUTHORIZATION_FAILED = 29;
const CLUSTER_AUTHORIZATION_FAILED = 31;
const OFFSET_NOT_AVAILABLE = 78;
const INVALID_RECORD = 87;

const ERROR_NAMES: ReadonlyMap<number, string> = new Map([
  [OFFSET_OUT_OF_RANGE, 'OFFSET_OUT_OF_RANGE'],
  [UNKNOWN_TOPIC, 'UNKNOWN_TOPIC_OR_PARTITION'],
  [LEADER_NOT_AVAILABLE, 'LEADER_NOT_AVAILABLE'],
  [NOT_LEADER, 'NOT_LEADER_OR_FOLLOWER'],
  [REQUEST_TIMED_OUT, 'REQUEST_TIMED_OUT'],
  [MESSAGE_TOO_LARGE, 'MESSAGE_TOO_LARGE'],
  [NOT_ENOUGH_REPLICAS, 'NOT_ENOUGH_REPLICAS'],
  [NOT_ENOUGH_REPLICAS_AFTER_APPEND, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND'],
  [TOPIC_AUTHORIZATION_FAILED, 'TOPIC_AUTHORIZATION_FAILED'],
  [CLUSTER_AUTHORIZATION_FAILED, 'CLUSTER_AUTHORIZATION_FAILED'],
  [56, 'KAFKA_STORAGE_ERROR'],
  [74, 'FENCED_LEADER_EPOCH'],
  [OFFSET_NOT_AVAILABLE, 'OFFSET_NOT_AVAILABLE'],
  [INVALID_RECORD, 'INVALID_RECORD'],
]);

/**
 * The leader says these before it appends. NOT_LEADER is not among them: a leader that is deposed
 * while it waits for its followers says it too, and they may have the records already.
 */
const REFUSED_BEFORE_APPEND: ReadonlySet<number> = new Set([
  MESSAGE_TOO_LARGE,
  NOT_ENOUGH_REPLICAS,
  TOPIC_AUTHORIZATION_FAILED,
  CLUSTER_AUTHORIZATION_FAILED,
  INVALID_RECORD,
]);

/**
 * What a new leader says to ListOffsets until its followers have caught up: it takes records, but
 * does not know yet how far those of its predecessor may be shown (KIP-207).
 */
const NEW_LEADER: ReadonlySet<number> = new Set([LEADER_NOT_AVAILABLE, OFFSET_NOT_AVAILABLE]);

/** Answers after which the same leader may still be the right one to ask. */
const SAME_LEADER: ReadonlySet<number> = new Set([
  ...REFUSED_BEFORE_APPEND,
  ...NEW_LEADER,
  OFFSET_OUT_OF_RANGE,
  REQUEST_TIMED_OUT,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND,
]);

/**
 * What a failed append means for its caller.
 *
 * @param isSent whether any byte of the request may have left this process.
 */
export function appendErrorOf(
  error: unknown,
  isSent: boolean,
): LogUnavailableError | AppendOutcomeUnknownError {
  const why = error instanceof Error ? error.message : String(error);
  if (!isSent) {
    return new LogUnavailableError(`nothing was sent to Kafka: ${why}`, {
      cause: error,
      isPassing: true,
    });
  }
  if (error instanceof BrokerError && REFUSED_BEFORE_APPEND.has(error.code)) {
    return new LogUnavailableError(`Kafka refused the records: ${why}`, {
      cause: error,
      isPassing: error.code === NOT_ENOUGH_REPLICAS,
    });
  }
  return new AppendOutcomeUnknownError(`Kafka may have the records or not: ${why}`, {
    cause: error,
  });
}

/** Whether the connection is still good after this error. */
export function leavesLeader(error: unknown): boolean {
  return error instanceof BrokerError && SAME_LEADER.has(error.code);
}

/** The leader is there, and so new that it cannot tell the end of the log yet. */
export function isNewLeader(error: unknown): boolean {
  return error instanceof BrokerError && NEW_LEADER.has(error.code);
}

/** The leader is there, but too few in-sync replicas are. */
export function lacksReplicas(error: unknown): boolean {
  return (
    error instanceof BrokerError &&
    (error.code === NOT_ENOUGH_REPLICAS || error.code === NOT_ENOUGH_REPLICAS_AFTER_APPEND)
  );
}

/** A word for counting. */
export function kindOf(error: unknown): string {
  if (error instanceof BrokerError)
    return ERROR_NAMES.get(error.code) ?? `error_${String(error.code)}`;
  return error instanceof Error ? error.name : 'unknown';
}
