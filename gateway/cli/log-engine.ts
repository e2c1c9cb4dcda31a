/**
 * What a server does about the log it was given beside serving it: tells operators how it stands,
 * and, where the log is shared, takes snapshots.
 */
import { SnapshotTaker } from '../../actors/controllers/snapshot-taker.ts';
import type { HealthCheck } from '../../actors/lifecycle/health-checks.ts';
import type { Logger } from '../../actors/logger.ts';
import type { KafkaLogEvents } from '../../streams/kafka/kafka-options.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { bucketBounds, Histogram } from '../metrics/histogram.ts';
import type { ControlPlane } from './control-plane.ts';
import { embeddedForkLogs, type ForkLogs } from './fork-folders.ts';
import type { OpenKafkaLog } from './open-kafka-log.ts';
import type { OpenGallery } from './open-gallery.ts';
import { openEmbeddedLog, type OpenLog } from './open-log.ts';
import type { ServeOptions } from './serve-settings.ts';
import { systemClock, systemRandom } from './system-clock.ts';

/** The log of a server, and what is to be known of it. */
export interface LogEngine {
  readonly opened: OpenLog;
  /** Where the logs of its forks lie. */
  readonly forks: ForkLogs;
  /** For readyz; undefined where nothing can go wrong that would not end the process. */
  readonly check: HealthCheck | undefined;
  /** Shows figures of the log. */
  measure(metrics: Metrics, opened: OpenGallery): void;
  /** Begins what goes on beside serving. @returns ends it. */
  start(main: ControlPlane): () => Promise<void>;
}

/** @throws StartupError */
export async function openLogEngine(options: ServeOptions, logger: Logger): Promise<LogEngine> {
  const { log: address } = options;
  if (address.engine === 'embedded') return embeddedEngine(await openEmbeddedLog(options.dataDir));
  const figures = new KafkaFigures();
  const { openKafkaLog } = await import('./open-kafka-log.ts');
  const opened = await openKafkaLog({ options, address, logger, events: figures.events });
  const { kafkaForkLogs } = await import('./kafka-fork-logs.ts');
  const forks = kafkaForkLogs({ options, address, logger }, opened.directory.path);
  return kafkaEngine(opened, { options, logger, figures, forks });
}

/** A log in a directory, which may have another writer in this process. */
export function embeddedEngine(opened: OpenLog): LogEngine {
  return {
    opened,
    forks: embeddedForkLogs(opened.directory.path),
    check: undefined,
    measure: () => undefined,
    start: () => () => Promise.resolve(),
  };
}

interface KafkaEngineParts {
  readonly options: ServeOptions;
  readonly logger: Logger;
  readonly figures: KafkaFigures;
  readonly forks: ForkLogs;
}

function kafkaEngine(
  opened: OpenKafkaLog,
  { options, logger, figures, forks }: KafkaEngineParts,
): LogEngine {
  return {
    opened,
    forks,
    check: {
      name: 'log',
      problem() {
        const { state, reason } = opened.log.connection;
        return state === 'connected' ? undefined : `kafka ${state}: ${reason}`;
      },
    },
    measure(metrics, gallery) {
      figures.show(metrics, opened, gallery);
    },
    start(main) {
      if (options.readOnly || options.snapshotEvery === 0) return () => Promise.resolve();
      const taker = new SnapshotTaker({
        ...main.room,
        store: main.opened.store,
        snapshots: opened.snapshots,
        clock: systemClock,
        random: systemRandom,
        every: options.snapshotEvery,
        failed(error) {
          logger.error({ err: error }, 'a snapshot could not be taken');
        },
        taken(taken) {
          logger.info({ ...taken }, 'took a snapshot');
        },
      });
      taker.start();
      return () => taker.stop();
    },
  };
}

const APPEND_SECONDS = bucketBounds([
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]);
const BATCH_EVENTS = bucketBounds([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096]);
const MS = 1_000;

/** Counts what the engine tells, and shows it when somebody looks. */
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

  show(metrics: Metrics, { log }: OpenKafkaLog, { applied }: OpenGallery): void {
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
