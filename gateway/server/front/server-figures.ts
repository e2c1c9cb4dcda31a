/** The figures of a server: what is counted elsewhere, under the names that operators see. */
import { ActorMeter } from '../../../actors/request/actor-meter.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { Metrics, type ShownFamilies } from '../../metrics/metrics.ts';
import { measureViews } from '../../metrics/view-figures.ts';
import { formatCalls } from '../../outbound/rest-calls.ts';
import type { WatchSessions } from '../../watch/watch-sessions.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { OpenLog } from '../log/open-log.ts';
import { systemClock } from '../../process/system-clock.ts';
import { LOG_NAME } from '../../../actors/handlers/componentstatuses/log-component.ts';

const MS_PER_SECOND = 1_000;

/** Of requests, objects and watches. */
export function serverMetrics(
  served: ServedResources,
  opened: OpenViews,
  { sessions, shown }: { readonly sessions: WatchSessions; readonly shown: ShownFamilies },
): Metrics {
  const { applied } = opened;
  const metrics = new Metrics({ clock: systemClock, isServed: served.has.bind(served), shown });
  metrics.gauge('everwatch_applied_version', 'How far the fold has come.', () => applied.current);
  metrics.gauge('everwatch_open_watches', 'Watches that are open.', () => sessions.openCount);
  measureViews(metrics, opened);
  metrics.text(formatCalls);
  return metrics;
}

/** What became of the records that were folded, what can be read, and what that takes. */
export function measureControlPlane(
  metrics: Metrics,
  { verdicts, context, opened: { store } }: ControlPlane,
  { log }: OpenLog,
): void {
  metrics.counter('everwatch_folded_records_total', 'Records folded, by what became of them.', () =>
    Object.entries(verdicts).map(([verdict, value]) => ({ labels: { verdict }, value })),
  );
  metrics.counter(
    'everwatch_read_markers_total',
    'Records that were written only to learn what now is.',
    () => context.committer.markerCount,
  );
  metrics.gauge(
    'everwatch_history_oldest_version',
    'The oldest version as of which everything can be read; some resources reach further back.',
    () => log.cuts().everything.version,
  );
  metrics.gauge('apiserver_storage_size_bytes', 'Disk used by the log.', () => [
    { labels: { storage_cluster_id: LOG_NAME }, value: log.diskUsage().bytes },
  ]);
  metrics.gauge('everwatch_disk_bytes', 'Disk used by the log and by the store.', () => [
    { labels: { part: 'log' }, value: log.diskUsage().bytes },
    { labels: { part: 'store' }, value: store.diskUsage().bytes },
  ]);
}

/** Measures the filters from now on, by their names in the handler chain. */
export function measuredFilters(metrics: Metrics): ActorMeter {
  const meter = new ActorMeter(() => performance.now());
  const perFilter = (valueOf: (figures: { messages: number; ms: number }) => number) => () =>
    [...meter.figures].map(([filter, figures]) => {
      return { labels: { filter }, value: valueOf(figures) };
    });
  metrics.counter(
    'everwatch_filter_messages_total',
    'Messages that each filter has received.',
    perFilter(({ messages }) => messages),
  );
  metrics.counter(
    'everwatch_filter_seconds_total',
    'How long each filter has worked on them itself, without what is behind it.',
    perFilter(({ ms }) => ms / MS_PER_SECOND),
  );
  return meter;
}
