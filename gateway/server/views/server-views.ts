/** The second phase of a server: the views over its log, what is served of them, and its figures. */
import { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { enabledResources } from '../../../api/kinds/runtime-config.ts';
import { measureEgress } from '../../configuration/egress.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { ruleMeters } from '../../metrics/expression-meters.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { WatchMeters } from '../../metrics/watch-meters.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import { WatchSessions } from '../../watch/watch-sessions.ts';
import type { ServerLog } from '../log/server-log.ts';
import { serverMetrics } from './server-figures.ts';
import { servedBy } from './custom-resources.ts';
import { openViews, type OpenViews } from './open-views.ts';

export interface ServerViews {
  /** Nothing is folded yet. */
  readonly opened: OpenViews;
  /** By the main control plane. */
  readonly served: ServedResources;
  readonly sessions: WatchSessions;
  readonly metrics: Metrics;
}

/** @throws StartupError when the options name APIs that there are not. */
export async function openServerViews(
  options: Pick<ServeOptions, 'admission' | 'features' | 'egress' | 'metrics'>,
  { engine, faults }: ServerLog,
): Promise<ServerViews> {
  const builtIn = new ServedResources(enabledOf(options));
  const opened = await openViews(engine.opened, systemClock);
  const rules = ruleMeters(() => performance.now());
  const served = servedBy(opened, builtIn, { ...options.egress, meters: rules });
  const watches = new WatchMeters();
  const sessions = new WatchSessions({
    meters: watches,
    clock: systemClock,
    failed: (error) => faults.record('showing a watch', error),
  });
  const metrics = serverMetrics(served, opened, { sessions, shown: options.metrics });
  metrics.text(() => watches.format());
  rules.show(metrics);
  measureEgress(metrics, options.egress.egressSelectorConfigFile);
  return { opened, served, sessions, metrics };
}

function enabledOf({
  admission,
  features,
}: Pick<ServeOptions, 'admission' | 'features'>): ServedResource[] {
  const builtIn = builtInResources(systemClock, admission);
  const resources = enabledResources(builtIn, features.runtimeConfig);
  if (typeof resources === 'string') throw new StartupError(`--runtime-config: ${resources}`);
  return resources;
}
