/**
 * What a server does about the log it was given beside serving it: tells operators how it stands, counts
 * what the Kafka engine tells, cuts what is too old, and, where the log is shared, takes snapshots.
 */
import type { KafkaLogEvents } from '../../../streams/kafka/kafka-options.ts';
import { bucketBounds, Histogram } from '../../metrics/histogram.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { LogOptions, OpenKafkaLog } from './open-kafka-log.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { type SnapshotTaken, SnapshotTaker } from '../../../actors/controllers/snapshot-taker.ts';
import type { HealthCheck } from '../../../actors/lifecycle/health-checks.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { openEncryption, openKeyFile, sealed, sealedForks } from './encryption.ts';
import {
  followCuts,
  type KeepFrom,
  startRetention,
} from '../../../projections/retention/retention.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import type { ObjectKeyStore } from '../../../streams/encryption/object-key-store.ts';
import type { Shredder } from '../../routes/shred.ts';
import { originOf } from '../../recorder/log-origin.ts';
import type { LogOrigin, ServerStatus } from '../../routes/status.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { embeddedForkLogs, type ForkLogs, NO_FORK_LOGS } from './fork-folders.ts';
import { openEmbeddedLog, type OpenLog } from './open-log.ts';
import { retentionOf } from '../../flags/sections/storage-settings.ts';

const APPEND_SECONDS = bucketBounds([
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]);
const BATCH_EVENTS = bucketBounds([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096]);
const MS = 1_000;

class KafkaFigures {
  readonly #appends = new Histogram(APPEND_SECONDS);
  readonly #batches = new Histogram(BATCH_EVENTS);
  readonly #problems = new Map<string, number>();

  readonly events: Partial<KafkaLogEvents> = {
    appended: ({ events, durationMs }) => {
      this.#appends.observe(durationMs / MS);
      this.#batches.observe(events);
    },
    problem: (kind) => {
      this.#problems.set(kind, (this.#problems.get(kind) ?? 0) + 1);
    },
  };

  show(metrics: Metrics, { log }: OpenKafkaLog, { applied }: OpenViews): void {
    metrics.histogram(
      'everwatch_log_append_duration_seconds',
      'From sending a batch to its acknowledgement by Kafka.',
      this.#appends,
    );
    metrics.histogram(
      'everwatch_log_append_batch_events',
      'Events in a batch that Kafka acknowledged.',
      this.#batches,
    );
    metrics.gauge(
      'everwatch_log_end_version',
      'The last version that the Kafka leader is known to have.',
      () => log.statistics.end,
    );
    metrics.gauge(
      'everwatch_log_lag_events',
      'Records in the topic that are not applied here yet.',
      () => Math.max(0, log.statistics.end - applied.current),
    );
    metrics.gauge(
      'everwatch_log_lag_seconds',
      'How old the last applied record is while there are newer ones; else 0.',
      () => {
        if (log.statistics.end <= applied.current) return 0;
        const last = log.at(applied.current);
        return last === undefined ? 0 : Math.max(0, systemClock.now() - last.time) / MS;
      },
    );
    metrics.counter(
      'everwatch_log_reconnects_total',
      'How often the connection to Kafka had to be made anew.',
      () => log.statistics.reconnects,
    );
    metrics.gauge('everwatch_log_connection', 'How we stand with Kafka: 1 for the state.', () => [
      { labels: { state: log.connection.state }, value: 1 },
    ]);
    metrics.counter('everwatch_log_problems_total', 'What went wrong with Kafka, by kind.', () =>
      [...this.#problems].map(([kind, value]) => ({ labels: { kind }, value })),
    );
  }
}

/** The log of a server, and what is to be known of it. */
export interface LogEngine {
  /** The log and its directory. */
  readonly opened: OpenLog;
  /** Where the logs of its forks lie. */
  readonly forks: ForkLogs;
  /** Why the log cannot be reached; undefined when it can. */
  unreachable(): string | undefined;
  /** The last version that others are known to have appended; 0 where there are no others. */
  end(): number;
  /** For healthz and readyz: whether the KMS plug-ins answer; undefined where there are none. */
  readonly encryptionCheck?: HealthCheck;
  /** Forgets objects for good; undefined where nothing is encrypted. */
  readonly shredder?: Shredder;
  /** For `everwatch status`. */
  status(opened: OpenViews): Pick<ServerStatus, 'connection' | 'lag'>;
  /** What the log is a copy of, and stays; undefined where it is none. */
  origin(): Promise<LogOrigin | undefined>;
  /** Shows figures of the log. */
  measure(metrics: Metrics, opened: OpenViews): void;
  /**
   * Begins what goes on beside serving.
   *
   * @param keepFrom the moments that others need.
   * @returns ends it.
   */
  start(main: ControlPlane, keepFrom: KeepFrom): () => Promise<void>;
}

interface EngineParts {
  readonly options: LogOptions;
  readonly logger: Logger;
}

/** @throws StartupError */
export async function openLogEngine(options: LogOptions, logger: Logger): Promise<LogEngine> {
  const { address, dataDir, unsafeNoFsync } = options.log;
  const parts = { options, logger };
  if (address.engine === 'embedded') {
    const opened = await openEmbeddedLog(dataDir, { isSynced: !unsafeNoFsync });
    const keys = openKeyFile(opened.directory.path, options.encryption);
    return encrypted(opened, embeddedEngine(opened, parts), { keys, ...parts });
  }
  const figures = new KafkaFigures();
  const { openKafkaLog, kafkaForkLogs } = await import('./open-kafka-log.ts');
  const opened = await openKafkaLog({ options, address, logger, events: figures.events });
  const forks = kafkaForkLogs({ options, address, logger }, opened.directory.path);
  const engine = kafkaEngine(opened, { ...parts, figures, forks });
  const keys = opened.objectKeys();
  return encrypted(opened, engine, { keys, ...parts });
}

/** The same engine, encrypted where the options say so, or where it was before. */
async function encrypted(
  opened: OpenLog,
  engine: LogEngine,
  { keys, options, logger }: EngineParts & { readonly keys: Promise<ObjectKeyStore | undefined> },
): Promise<LogEngine> {
  const parts = { clock: systemClock, logger };
  const encryption = await openEncryption(options.encryption, keys, parts).catch(
    async (error: unknown) => {
      await opened.close();
      throw error;
    },
  );
  if (encryption === undefined) return engine;
  const { check, meters } = encryption;
  return {
    ...engine,
    opened: sealed(opened, encryption),
    forks: sealedForks(engine.forks, encryption),
    shredder: encryption.keys,
    ...(check === undefined ? {} : { encryptionCheck: check }),
    measure(metrics, resourceViews) {
      engine.measure(metrics, resourceViews);
      metrics.text(() => meters.format());
    },
    start(main, keepFrom) {
      const unwatch = encryption.watch();
      const stop = engine.start(main, keepFrom);
      return async () => {
        unwatch();
        await stop();
      };
    },
  };
}

/** A log in a directory, which may have another writer in this process, or workers beside it. */
export function embeddedEngine(opened: OpenLog, parts: EngineParts): LogEngine {
  return {
    opened,
    forks: opened.beside === undefined ? embeddedForkLogs(opened.directory.path) : NO_FORK_LOGS,
    unreachable: () => undefined,
    end: () => opened.beside?.end() ?? 0,
    status: () => ({}),
    // Written to, a copy is a cluster of its own.
    origin: async () => (parts.options.log.readOnly ? originOf(opened.directory.path) : undefined),
    measure: () => undefined,
    start: (main, keepFrom) => startCutting(opened, main, { ...parts, keepFrom }),
  };
}

interface KafkaEngineParts extends EngineParts {
  readonly figures: KafkaFigures;
  readonly forks: ForkLogs;
}

function kafkaEngine(opened: OpenKafkaLog, parts: KafkaEngineParts): LogEngine {
  const { log } = opened;
  return {
    opened,
    forks: parts.forks,
    unreachable() {
      const { state, reason } = log.connection;
      return state === 'connected' ? undefined : `kafka ${state}: ${reason}`;
    },
    end: () => log.statistics.end,
    origin: () => Promise.resolve(undefined),
    status({ applied }) {
      const { state, reason } = log.connection;
      const events = Math.max(0, log.statistics.end - applied.current);
      const last = events === 0 ? undefined : log.at(applied.current);
      const ms = last === undefined ? 0 : Math.max(0, systemClock.now() - last.time);
      return {
        connection: { state, ...(reason === '' ? {} : { problem: reason }) },
        lag: { events, ms },
      };
    },
    measure(metrics, resourceViews) {
      parts.figures.show(metrics, opened, resourceViews);
    },
    start(main, keepFrom) {
      const taker = snapshotTaker(opened, main, parts);
      const stopCutting = startCutting(opened, main, {
        ...parts,
        keepFrom: () => earlier(keepFrom(), taker?.keepFrom),
      });
      taker?.start();
      return async () => {
        await taker?.stop();
        await stopCutting();
      };
    },
  };
}

function snapshotTaker(
  { log, snapshots }: OpenKafkaLog,
  { context, opened }: ControlPlane,
  { options, logger }: EngineParts,
): SnapshotTaker | undefined {
  if (options.log.readOnly || options.log.snapshotEvery === 0) return undefined;
  const failed = (error: unknown): void => {
    logger.error({ err: error }, 'a snapshot could not be taken');
  };
  const cutTopic = async ({ version }: SnapshotTaken): Promise<void> => {
    // The topic is cut where a new server can begin, and behind what the retention keeps.
    const upTo = Math.min(version, log.cuts().everything.version);
    if (upTo > 0) await log.deleteBefore(resourceVersion(upTo));
  };
  return new SnapshotTaker({
    ...context,
    // As it lies in Kafka, encrypted where it is.
    log,
    store: opened.store,
    snapshots,
    clock: systemClock,
    random: systemRandom,
    every: options.log.snapshotEvery,
    failed,
    taken(taken) {
      logger.info({ ...taken }, 'took a snapshot');
      cutTopic(taken).catch(failed);
    },
  });
}

function startCutting(
  { log, beside }: OpenLog,
  { opened: { store } }: ControlPlane,
  { options, logger, keepFrom }: EngineParts & { readonly keepFrom: KeepFrom },
): () => Promise<void> {
  if (options.log.readOnly) return () => Promise.resolve();
  const failed = (error: unknown): void => {
    logger.error({ err: error }, 'the past could not be cut');
  };
  const parts = { log, store, clock: systemClock, failed };
  beside?.whenCut(() => {
    store.adoptCuts(log.cuts());
  });
  const retention =
    beside?.isFirst === false
      ? followCuts(parts)
      : startRetention({ ...parts, settings: retentionOf(options.log), keepFrom });
  return () => retention.stop();
}

function earlier<Version extends number>(
  one: Version | undefined,
  other: Version | undefined,
): Version | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
