/** What may be configured about a log in Kafka, and what it tells while it runs. */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { ResourceVersion } from '../resource-version.ts';
import type { ConnectionState } from './kafka-connection.machine.ts';
import type { RestorePoint } from './local-copy/restore-point.ts';

/** Where a topic is, and how the server comes to it. */
export interface KafkaLogOptions {
  /** `host:port` of some brokers; the others are found through them. */
  readonly brokers: readonly string[];
  /** Its name; it has one partition. */
  readonly topic: string;
  /** What the brokers call this server in their logs and quotas. */
  readonly clientId: string;
  /** undefined: the brokers are asked without TLS. */
  readonly tls?: KafkaTls | undefined;
  /** undefined: the brokers want no password. */
  readonly sasl?: KafkaSasl | undefined;
  /** Those that are left out have their defaults. */
  readonly timeouts?: Partial<KafkaTimeouts> | undefined;
  /** For a topic that is made; those that are left out have their defaults. */
  readonly topicSettings?: Partial<TopicSettings> | undefined;
  /** Whether the topic has to be there already. Else it is made. */
  readonly mustExist?: boolean | undefined;
  /** How many versions lie before the topic's first record: a fork begins behind its parent. */
  readonly base?: ResourceVersion | undefined;
  /** A directory for the local copy alone; made when it is not there. */
  readonly localPath: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of what happens to the connection. */
  readonly events?: Partial<KafkaLogEvents> | undefined;
  /**
   * Called once, before the first record is read: the place to fill an empty local copy from a
   * snapshot, so that only what came after it has to be read.
   */
  readonly restore?: ((point: RestorePoint) => Promise<void>) | undefined;
}

/** Certificates and keys in PEM. */
export interface KafkaTls {
  /** Which authorities are believed; undefined: those of Node. */
  readonly ca?: string | undefined;
  /** The certificate that is shown to brokers, with its chain. */
  readonly cert?: string | undefined;
  /** The private key of `cert`. */
  readonly key?: string | undefined;
  /** The name that the brokers' certificates must have, where it is not the host's. */
  readonly servername?: string | undefined;
  /** False: any server may pretend to be the broker. For tests. */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** How a client of the brokers proves its identity. */
export type KafkaSasl =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'oauthbearer';
      /** Asked for each connection, so that a file can be read anew. */
      readonly token: () => Promise<string>;
    };

/** Milliseconds. */
export interface KafkaTimeouts {
  /** From the first packet to a broker until it has let us in. */
  readonly connectMs: number;
  /** An answer that takes longer means that the broker hangs, and another is asked. */
  readonly requestMs: number;
  /** How long the leader may wait for the in-sync replicas, less than `requestMs`. */
  readonly produceMs: number;
  /** How long the leader lets a fetch wait for news. */
  readonly fetchWaitMs: number;
  /** Without a leader for so long, appends are refused at once and not kept waiting. */
  readonly unreachableAfterMs: number;
  /** How often the brokers are asked which of them leads, lest we follow one that was left behind. */
  readonly leaderCheckMs: number;
}

export const KAFKA_TIMEOUTS: KafkaTimeouts = {
  connectMs: 2_000,
  requestMs: 2_000,
  produceMs: 1_500,
  fetchWaitMs: 500,
  unreachableAfterMs: 10_000,
  leaderCheckMs: 1_000,
};

export interface TopicSettings {
  /** `auto`: 3 where there are as many brokers, else 1. */
  readonly replicationFactor: number | 'auto';
  /** How long Kafka keeps records, in milliseconds; undefined: for ever. */
  readonly retentionMs: number | undefined;
  /** How many bytes Kafka keeps; undefined: all. */
  readonly retentionBytes: number | undefined;
  /** The largest batch, in bytes, and so the largest append. See kafka-topic.ts. */
  readonly maxMessageBytes: number;
}

/** What happens, for logs and metrics. None of these may throw. */
export interface KafkaLogEvents {
  /** The connection has another state; `reason` says why in a sentence, '' where all is well. */
  connection(state: ConnectionState, reason: string): void;
  /** A batch was acknowledged. */
  appended(batch: AppendedBatch): void;
  /** Records were read from the topic, ours and those of others. */
  fetched(batch: FetchedBatch): void;
  /** `kind` is one of a few words, for counting. */
  problem(kind: string, error: unknown): void;
  /** What kafkajs would write into its log. */
  clientLog(level: 'error' | 'warn' | 'info' | 'debug', message: string, details: object): void;
}

export interface AppendedBatch {
  readonly events: number;
  readonly bytes: number;
  /** From sending it to its acknowledgement. */
  readonly durationMs: number;
}

export interface FetchedBatch {
  readonly events: number;
  readonly bytes: number;
  /** The version of the last record that the leader had. */
  readonly end: ResourceVersion;
}

export function silentEvents(events: Partial<KafkaLogEvents> = {}): KafkaLogEvents {
  return {
    connection: nothing,
    appended: nothing,
    fetched: nothing,
    problem: nothing,
    clientLog: nothing,
    ...events,
  };
}

function nothing(): void {
  // No listener asked to be told.
}
