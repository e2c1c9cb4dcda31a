/**
 * The parts of kafkajs that it does not export, in types of our own: its view of a cluster and its
 * connections. Nothing else of it is imported by path. The version is pinned by
 * package-lock.json, and the tests that run against brokers would tell of a change.
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** A request as kafkajs sends one: `encode` is called directly before the bytes go out. */
export interface RawRequest {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly apiName: string;
  encode(): Promise<{ readonly buf: Buffer; readonly buffer: Buffer }>;
}

export interface RawExchange<T> {
  readonly request: RawRequest;
  readonly response: {
    decode(payload: Buffer): Promise<T & Throttled>;
    parse(decoded: T): Promise<T>;
  };
  readonly logResponseError: boolean;
}

/** How long the broker asks us to be quiet, in milliseconds. */
interface Throttled {
  readonly clientSideThrottleTime: number;
}

export interface RawBroker {
  readonly nodeId: number;
  readonly connectionPool: {
    readonly host: string;
    readonly port: number;
    send<T>(exchange: RawExchange<T>): Promise<T>;
  };
}

export interface RawCluster {
  readonly brokerPool: {
    readonly metadata: {
      readonly brokers: readonly { readonly host: string; readonly port: number }[];
    } | null;
  };
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addTargetTopic(topic: string): Promise<void>;
  refreshMetadata(): Promise<void>;
  /** By node id, in which -1 stands for none. */
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>;
  findBroker(options: { readonly nodeId: string }): Promise<RawBroker>;
}

export interface SocketOptions {
  readonly host: string;
  readonly port: number;
  readonly ssl: object;
  readonly onConnect: () => void;
}

export type SocketFactory = (options: SocketOptions) => Socket;

export interface RawClusterOptions {
  readonly logger: unknown;
  readonly socketFactory: SocketFactory;
  readonly brokers: readonly string[];
  readonly ssl: object | undefined;
  readonly sasl: object | undefined;
  readonly clientId: string;
  readonly connectionTimeout: number;
  readonly authenticationTimeout: number;
  readonly reauthenticationThreshold: number;
  readonly requestTimeout: number;
  readonly enforceRequestTimeout: boolean;
  readonly metadataMaxAge: number;
  readonly retry: { readonly retries: number };
  readonly allowAutoTopicCreation: boolean;
  readonly maxInFlightRequests: null;
  readonly isolationLevel: number;
}

export interface RawLogEntry {
  readonly level: number;
  readonly namespace: string;
  readonly log: { readonly message: string } & Readonly<Record<string, unknown>>;
}

export type RawLogCreator = () => (entry: RawLogEntry) => void;

interface RequestQueuePrototype {
  scheduleCheckPendingRequests: (this: { readonly pending: readonly unknown[] }) => void;
}

// What kafkajs describes none of is described here, and taken on trust.
const load = createRequire(import.meta.url);
const internals = 'kafkajs/src';

export const KafkajsCluster = load(`${internals}/cluster/index.js`) as new (
  options: RawClusterOptions,
) => RawCluster;

/** The sockets that kafkajs makes by itself, TLS included. */
export const kafkajsSocketFactory = load(
  `${internals}/network/socketFactory.js`,
) as () => SocketFactory;

export const kafkajsLogger = load(`${internals}/loggers/index.js`) as {
  createLogger(options: { readonly level: number; readonly logCreator: RawLogCreator }): unknown;
};

const queue = load(`${internals}/network/requestQueue/index.js`) as {
  readonly prototype: RequestQueuePrototype;
};

/**
 * kafkajs sets a timer after every response, even if nothing waits, and into the past, of which
 * newer versions of Node warn (tulios/kafkajs#1751). Where nothing waits there is nothing to time.
 */
const always = queue.prototype.scheduleCheckPendingRequests;
queue.prototype.scheduleCheckPendingRequests = function (): void {
  if (this.pending.length > 0) always.call(this);
};
