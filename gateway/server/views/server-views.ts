/** The second phase of a server: the views over its log, what is served of them, and its figures. */
import { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import { enabledResources } from '../../../api/kinds/runtime-config.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { measureEgress } from '../../configuration/egress.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { ruleMeters } from '../../metrics/expression-meters.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { WatchMeters } from '../../metrics/watch-meters.ts';
import { StartupError } from '../../process/startup-error.ts';
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
  { engine, faults, externals }: ServerLog,
): Promise<ServerViews> {
  const { clock } = externals;
  const builtIn = builtInOf(options, clock);
  const opened = await openViews(engine.opened, clock);
  const rules = ruleMeters(() => performance.now());
  const served = servedBy(opened, builtIn, { externals, meters: rules });
  const watches = new WatchMeters();
  const sessions = new WatchSessions({
    meters: watches,
    clock,
    failed: (error) => faults.record('showing a watch', error),
  });
  const metrics = serverMetrics(served, opened, { clock, sessions, shown: options.metrics });
  metrics.text(() => watches.format());
  rules.show(metrics);
  measureEgress(metrics, options.egress.egressSelectorConfigFile);
  return { opened, served, sessions, metrics };
}

/** What is served whatever the definitions say. @throws StartupError, see {@link openServerViews}. */
export function builtInOf(
  { admission, features }: Pick<ServeOptions, 'admission' | 'features'>,
  clock: Clock,
): ServedResources {
  const resources = enabledResources(builtInResources(clock, admission), features.runtimeConfig);
  if (typeof resources === 'string') throw new StartupError(`--runtime-config: ${resources}`);
  return new ServedResources(resources);
}
