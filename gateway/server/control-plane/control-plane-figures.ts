/** The figures of the main control plane and of the log under it. */
import { LOG_NAME } from '../../../actors/handlers/componentstatuses/log-component.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { OpenLog } from '../log/open-log.ts';
import type { ControlPlane } from './control-plane.ts';

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
