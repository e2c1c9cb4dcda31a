/**
 * Figures of the views in memory, read when they are looked at: what kube-apiserver tells of its watch
 * cache and of the objects in its store.
 *
 * In Kubernetes: apiserver/pkg/storage/cacher/metrics and apiserver/pkg/storage/etcd3/metrics.
 */
import type { AppliedVersion } from '../../projections/fold/applied-version.ts';
import type { ObjectView, ResourceObjects } from '../../projections/objects/object-view.ts';
import type { ResourceViews, ProjectedResource } from '../../projections/resource-views.ts';
import { groupResourceOf, qualifiedName } from './group-resource.ts';
import type { LabelledFigure, Metrics } from './metrics.ts';

export interface Views {
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
