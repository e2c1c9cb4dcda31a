/** Counts what the Kafka engine tells, and shows it when figures are asked for. */
import type { KafkaLogEvents } from '../../../streams/kafka/kafka-options.ts';
import { bucketBounds, Histogram } from '../../metrics/histogram.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { OpenKafkaLog } from './open-kafka-log.ts';
import { systemClock } from '../../process/system-clock.ts';

const APPEND_SECONDS = bucketBounds([
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]);
const BATCH_EVENTS = bucketBounds([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096]);
const MS = 1_000;

export class KafkaFigures {
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
