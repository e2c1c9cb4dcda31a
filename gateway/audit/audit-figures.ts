/** What `/metrics` shows of the audit, under upstream's names. */
import type { AuditCounts } from '../../actors/audit/audit-sink.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { LostEvents } from './audit-backend.ts';

/** Shows the counters apiserver_audit_…. */
export function measureAudit(metrics: Metrics, counts: AuditCounts, lost: LostEvents): void {
  metrics.counter(
    'apiserver_audit_event_total',
    'Events of the audit that were made.',
    () => counts.events,
  );
  metrics.counter(
    'apiserver_audit_error_total',
    'Events of the audit that could not be kept, by what lost them.',
    () => [...lost.counts].map(([plugin, value]) => ({ labels: { plugin }, value })),
  );
  metrics.counter(
    'apiserver_audit_level_total',
    'Requests by the level that the audit policy has for them.',
    () => Object.entries(counts.levels).map(([level, value]) => ({ labels: { level }, value })),
  );
  metrics.counter(
    'apiserver_audit_requests_rejected_total',
    'Requests that were not let on because their event could not be kept.',
    () => counts.rejected,
  );
}
