/**
 * Figures of the views in memory, read when they are looked at: what kube-apiserver tells of its watch
 * cache and of the objects in its store; and of the rules of custom resources: how long they take to be
 * compiled, those of one place in a schema at a time, and to be asked about an object.
 *
 * In Kubernetes: apiserver/pkg/storage/cacher/metrics, apiserver/pkg/storage/etcd3/metrics and
 * apiserver/pkg/cel/metrics.
 */
import type { RuleMeters } from '../../api/kinds/custom/version-schema.ts';
import { bucketBounds, Histogram } from './histogram.ts';
import type { LabelledFigure, Metrics } from './metrics.ts';
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { ObjectView, ResourceObjects } from '../../projections/objects/object-view.ts';
import type { ProjectedResource, ResourceViews } from '../../projections/resource-views.ts';
import { groupResourceOf, qualifiedName } from './group-resource.ts';

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

interface Views {
  readonly resourceViews: Pick<ResourceViews, 'all'>;
  readonly objects: Pick<ObjectView, 'resources'>;
  readonly applied: Pick<AppliedVersion, 'current'>;
}

/** What upstream cuts versions down to, so that a double can hold them. */
const VERSION_DIGITS = 1e15;

/** Registers the families; resources that come later are shown as well. */
export function measureViews(metrics: Metrics, { resourceViews, objects, applied }: Views): void {
  const perView = (read: (one: ProjectedResource) => number) => (): LabelledFigure[] =>
    [...resourceViews.all()].map((one) => ({
      labels: { ...groupResourceOf(one.resource) },
      value: read(one),
    }));
  const moved = (read: (one: ProjectedResource) => number) => (): LabelledFigure[] =>
    perView(read)().filter(({ value }) => value > 0);
  const perResource = (read: (one: ResourceObjects) => number) => (): LabelledFigure[] =>
    [...objects.resources()].map(([storage, one]) => ({
      labels: { ...groupResourceOf(storage) },
      value: read(one),
    }));
  metrics.gauge('apiserver_storage_objects', 'Objects by resource.', () =>
    [...objects.resources()].map(([storage, { size }]) => {
      return { labels: { resource: qualifiedName(storage) }, value: size };
    }),
  );
  metrics.gauge(
    'apiserver_resource_objects',
    'Objects by group and resource.',
    perResource(({ size }) => size),
  );
  metrics.gauge(
    'apiserver_resource_size_estimate_bytes',
    'Bytes of the objects by group and resource, estimated from some of them.',
    perResource((one) => one.estimatedBytes()),
  );
  metrics.counter(
    'apiserver_storage_events_received_total',
    'Events of the log that took effect, by resource.',
    moved(({ watch }) => watch.counts.received),
  );
  metrics.counter(
    'apiserver_watch_cache_events_received_total',
    'Events that the watch view of a resource was told of.',
    moved(({ watch }) => watch.counts.received),
  );
  metrics.counter(
    'apiserver_watch_cache_events_dispatched_total',
    'Events that were shown to the watchers of a resource.',
    moved(({ watch }) => watch.counts.dispatched),
  );
  metrics.counter(
    'apiserver_init_events_total',
    'Events and objects that watches began with.',
    moved(({ watch }) => watch.counts.initial),
  );
  metrics.counter(
    'apiserver_watch_cache_initializations_total',
    'How often the recent events of a resource began anew.',
    perView(({ window }) => window.beginnings),
  );
  metrics.gauge(
    'apiserver_watch_cache_resource_version',
    'How far the views of a resource have come.',
    perView(() => applied.current % VERSION_DIGITS),
  );
}
