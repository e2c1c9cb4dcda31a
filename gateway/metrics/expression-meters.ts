/**
 * Measures the rules of custom resources: how long they take to be compiled, those of one place in a
 * schema at a time, and to be asked about an object.
 *
 * In Kubernetes: apiserver/pkg/cel/metrics.
 */
import type { RuleMeters } from '../../api/kinds/custom/version-schema.ts';
import { bucketBounds, Histogram } from './histogram.ts';
import type { Metrics } from './metrics.ts';

const DEFAULT = bucketBounds([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);
const MS = 1_000;

/** @param elapsed milliseconds, and parts of them. */
export function ruleMeters(
  elapsed: () => number,
): RuleMeters & { show: (metrics: Metrics) => void } {
  const compilations = new Histogram(DEFAULT);
  const evaluations = new Histogram(DEFAULT);
  const measured =
    (histogram: Histogram) =>
    <Result>(work: () => Result): Result => {
      const startedAt = elapsed();
      try {
        return work();
      } finally {
        histogram.observe((elapsed() - startedAt) / MS);
      }
    };
  return {
    compiling: measured(compilations),
    evaluating: measured(evaluations),
    show(metrics) {
      metrics.histogram(
        'apiserver_cel_compilation_duration_seconds',
        'How long the rules of custom resources take to be compiled.',
        compilations,
      );
      metrics.histogram(
        'apiserver_cel_evaluation_duration_seconds',
        'How long the rules of a custom resource take to be asked about an object.',
        evaluations,
      );
    },
  };
}
