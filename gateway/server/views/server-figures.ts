/** The figures of a server: what is counted elsewhere, under the names that operators see. */
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { Metrics, type ShownFamilies } from '../../metrics/metrics.ts';
import { measureViews } from '../../metrics/view-figures.ts';
import { formatCalls } from '../../outbound/rest-calls.ts';
import type { WatchSessions } from '../../watch/watch-sessions.ts';
import type { OpenViews } from './open-views.ts';

export interface ServerMetricsParts {
  readonly clock: Clock;
  readonly sessions: WatchSessions;
  readonly shown: ShownFamilies;
}

/** Of requests, objects and watches. */
export function serverMetrics(
  served: ServedResources,
  opened: OpenViews,
  { clock, sessions, shown }: ServerMetricsParts,
): Metrics {
  const { applied } = opened;
  const metrics = new Metrics({ clock, isServed: served.has.bind(served), shown });
  metrics.gauge('everwatch_applied_version', 'How far the fold has come.', () => applied.current);
  metrics.gauge('everwatch_open_watches', 'Watches that are open.', () => sessions.openCount);
  measureViews(metrics, opened);
  metrics.text(formatCalls);
  return metrics;
}
