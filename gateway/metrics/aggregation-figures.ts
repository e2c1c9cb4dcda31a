/**
 * Which APIServices do not answer.
 *
 * In Kubernetes: kube-aggregator/pkg/controllers/status/metrics.
 */
import type { AvailabilityMeters } from '../../actors/aggregation/availability-meters.ts';
import type { Metrics } from './metrics.ts';

/** What the controller that keeps the condition `Available` has told. */
export class AggregationFigures implements AvailabilityMeters {
  readonly #available = new Map<string, boolean>();
  readonly #counts = new Map<string, { name: string; reason: string; value: number }>();

  found(name: string, isAvailable: boolean): void {
    this.#available.set(name, isAvailable);
  }

  becameUnavailable(name: string, reason: string): void {
    const key = `${name} ${reason}`;
    const known = this.#counts.get(key) ?? { name, reason, value: 0 };
    known.value += 1;
    this.#counts.set(key, known);
  }

  forget(name: string): void {
    this.#available.delete(name);
  }

  /** From now on. */
  show(metrics: Metrics): void {
    metrics.gauge(
      'aggregator_unavailable_apiservice',
      'Whether an APIService does not answer.',
      () =>
        [...this.#available].map(([name, isAvailable]) => ({
          labels: { name },
          value: isAvailable ? 0 : 1,
        })),
    );
    metrics.counter(
      'aggregator_unavailable_apiservice_total',
      'How often an APIService has ceased to answer, by reason.',
      () => [...this.#counts.values()].map(({ value, ...labels }) => ({ labels, value })),
    );
  }
}
