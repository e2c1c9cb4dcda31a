/**
 * What a run is against: replicas as processes over one log, embedded or on a real Kafka.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '../../gateway/process/system-clock.ts';
import { LmdbObjectStore } from '../../projections/store/object-store.ts';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { run } from '../support/command.ts';
import { type JsonObject, parseJson } from '../support/json.ts';
import { type KafkaCluster, QUICK_FAILOVER, startKafka } from '../support/kafka-broker.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { type RunningServer, SERVER_PROGRAM, startServer } from '../support/server.ts';
import { readTopic } from './kafka-truth.ts';
import { type LogRecord, LogTruth } from './log-truth.ts';
import { ReplicaClient } from './replica-client.ts';
import { resourceOfStorage } from './seen-object.ts';

export interface ClusterOptions {
  readonly replicas: number;
  /** 0: the embedded log, and one replica. */
  readonly brokers: 0 | 1 | 3;
  /** Of the server's bundle. Default: ours. */
  readonly program?: string;
}

/** Writes to a file that would make it larger than `prlimit` says fail; they do not kill. */
const IGNORING_LIMITS = ['bash', '-c', 'trap \'\' XFSZ; exec "$@"', 'server'];
const TOPIC = 'everwatch';
const VERIFY_TIMEOUT_MS = 10 * 60_000;

export class Replica {
  readonly server: RunningServer;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(server: RunningServer, env: NodeJS.ProcessEnv) {
    this.server = server;
    this.#env = env;
  }

  static async start(dataDir: string, args: readonly string[], program?: string): Promise<Replica> {
    const env: NodeJS.ProcessEnv = {};
    const what = { dataDir, args, env, launcher: IGNORING_LIMITS };
    return new Replica(await startServer({ ...what, ...(program ? { program } : {}) }), env);
  }

  /** From its next start on its clock is so far from ours. */
  setClock(offsetMs: number): void {
    this.#env['EVERWATCH_CLOCK_OFFSET_MS'] = String(offsetMs);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.server.pid, signal);
  }

  client(timeoutMs: number): ReplicaClient {
    return new ReplicaClient(readKubeconfig(this.server.kubeconfig), timeoutMs);
  }
}

export class Cluster {
  readonly replicas: Replica[] = [];
  readonly kafka: KafkaCluster | undefined;
  readonly #folder: string;
  readonly #options: ClusterOptions;

  private constructor(options: ClusterOptions, kafka: KafkaCluster | undefined, folder: string) {
    this.#options = options;
    this.kafka = kafka;
    this.#folder = folder;
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'everwatch-robustness-'));
    const { brokers } = options;
    const kafka =
      brokers === 0
        ? undefined
        : await startKafka({ brokers, behindProxy: true, properties: QUICK_FAILOVER });
    const cluster = new Cluster(options, kafka, folder);
    try {
      for (let index = 0; index < options.replicas; index += 1) await cluster.#startReplica(index);
    } catch (cause) {
      await cluster.stop();
      throw cause;
    }
    return cluster;
  }

  get topic(): string {
    return TOPIC;
  }

  async #startReplica(index: number): Promise<void> {
    const dataDir = join(this.#folder, `replica-${String(index)}`);
    const args = this.kafka === undefined ? [] : kafkaArgs(this.kafka, this.#folder, index);
    this.replicas.push(await Replica.start(dataDir, args, this.#options.program));
  }

  /** Stops the replicas, cleanly, and has the server verify each store of an embedded log. */
  async stopAndVerify(): Promise<string[]> {
    await Promise.all(this.replicas.map(({ server }) => server.stop()));
    const program = this.#options.program ?? SERVER_PROGRAM;
    const faults: string[] = [];
    for (const { server } of this.kafka === undefined ? this.replicas : []) {
      const args = [program, 'verify', '--data-dir', server.dataDir];
      const found = await run(process.execPath, args, { timeoutMs: VERIFY_TIMEOUT_MS });
      if (found.code !== 0) faults.push(`${server.dataDir}: ${found.stdout}${found.stderr}`);
    }
    return faults;
  }

  /** What the stores of stopped replicas have otherwise than the log's fold at their versions. */
  async storeFaults(truth: LogTruth): Promise<string[]> {
    const faults: string[] = [];
    for (const { server } of this.replicas) {
      faults.push(...(await storeFaults(join(server.dataDir, 'store'), truth)));
    }
    return faults;
  }

  /** The log itself; of an embedded one only when no server has it open. `note` gets each record. */
  async truth(note: (record: LogRecord) => void): Promise<LogTruth> {
    const truth = new LogTruth();
    const add = (record: LogRecord): void => {
      note(record);
      truth.add(record);
    };
    const [replica] = this.replicas;
    if (replica === undefined) throw new Error('there is no replica');
    if (this.kafka !== undefined) await readTopic(this.kafka.direct, TOPIC, add);
    else await readEmbedded(join(replica.server.dataDir, 'log'), add);
    return truth;
  }

  logs(): string {
    return this.replicas
      .map(({ server }, index) => `replica ${String(index)}:\n${server.logs()}`)
      .join('\n');
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map(({ server }) => server.kill9()));
    await this.kafka?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Snapshots so often that one is always being taken; `--key-file` is what replicas share. Every
 * second replica goes past the proxies: what the network does to some it must not do to all, or
 * no replica would ever be behind.
 */
function kafkaArgs(kafka: KafkaCluster, folder: string, index: number): string[] {
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, 'the same for all replicas of a test', { mode: 0o600 });
  const brokers = index % 2 === 0 ? kafka.bootstrap : kafka.direct;
  const log = `kafka://${brokers.join()}/${TOPIC}`;
  return ['--log', log, '--key-file', keyFile, '--snapshot-every', '500'];
}

async function storeFaults(path: string, truth: LogTruth): Promise<string[]> {
  const store = new LmdbObjectStore(path, systemClock);
  try {
    const state = truth.stateAt(store.appliedVersion);
    const where = `${path} at ${String(store.appliedVersion)}`;
    const faults: string[] = [];
    for (const { resource, path: object, resourceVersion: version } of store.current()) {
      const key = `${resource} ${object}`;
      const real = state.get(key);
      state.delete(key);
      if (real !== version) {
        faults.push(`${where}: ${key} at ${String(version)}, the log says ${String(real)}`);
      }
    }
    return [...faults, ...[...state.keys()].map((key) => `${where}: ${key} is missing`)];
  } finally {
    await store.close();
  }
}

async function readEmbedded(path: string, add: (record: LogRecord) => void): Promise<void> {
  const log = new EmbeddedEventLog(path);
  try {
    const newest = await log.newest();
    for (let version = 1; version <= newest; version += 1) {
      const event = log.at(resourceVersion(version));
      if (event !== undefined) add(recordOf(event));
    }
  } finally {
    await log.close();
  }
}

function recordOf(event: LoggedEvent): LogRecord {
  const { resourceVersion: version, previousResourceVersion: previous, requires, json } = event;
  const { writer, sequence, type, resource, path, auditID } = event;
  const isOurs = resourceOfStorage(resource) !== undefined;
  const text = isOurs ? Buffer.from(json).toString('utf8') : '';
  return {
    version,
    writer,
    sequence,
    type,
    resource,
    path,
    previous,
    requires: requires.map((one) => [one.resource, one.path, one.resourceVersion]),
    auditID,
    ...(isOurs ? { object: parseJson(text) as JsonObject } : {}), // The log has objects.
  };
}
