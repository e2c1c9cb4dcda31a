/**
 * The second phase of a server: the views over its log, the resources that it serves (those that are
 * built in and those of its definitions), and its figures.
 */
import { hostname } from 'node:os';
import { AggregatedDocuments } from '../../../actors/aggregation/aggregated-documents.ts';
import type { AggregatedServers } from '../../../actors/aggregation/aggregated-servers.ts';
import { AggregatedServices } from '../../../actors/aggregation/aggregated-services.ts';
import { identityOf } from '../../../actors/controllers/identity-lease.ts';
import { PeerServers } from '../../../actors/peers/peer-servers.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { enabledResources } from '../../../api/kinds/runtime-config.ts';
import { FORK_GROUP } from '../../../api/everwatch/fork-facts.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { measureEgress } from '../../configuration/egress.ts';
import type { EgressSettings } from '../../flags/sections/kubelet-settings.ts';
import type { MetricsSettings } from '../../flags/sections/metrics-settings.ts';
import type { WorkerSettings } from '../../flags/sections/worker-settings.ts';
import { measureViews, ruleMeters } from '../../metrics/view-figures.ts';
import { PeerFigures } from '../../metrics/peer-figures.ts';
import { Metrics, type ShownFamilies } from '../../metrics/metrics.ts';
import { WatchMeters } from '../../metrics/watch-meters.ts';
import { StartupError } from '../../process/startup-error.ts';
import { WatchSessions } from '../../watch/watch-sessions.ts';
import type { ServerLog } from '../log/server-log.ts';
import {
  builtInOptions,
  type BuiltInSections,
  missingResources,
  openViews,
  type OpenViews,
} from './open-views.ts';
import {
  CompiledDefinitions,
  compileDefinition,
} from '../../../api/kinds/custom/compiled-definitions.ts';
import { CustomDefinitions } from '../../../actors/served-resources/custom-definitions.ts';
import type { RuleMeters } from '../../../api/kinds/custom/version-schema.ts';
import type { Externals } from '../externals.ts';
import { formatCalls } from '../../outbound/rest-calls.ts';

export interface ServerViews {
  /** Nothing is folded yet. */
  readonly opened: OpenViews;
  /** By the main control plane. */
  readonly served: ServedResources;
  /** Group versions that other servers serve, of the main control plane. */
  readonly aggregated: AggregatedServices;
  /** The ways to them. */
  readonly aggregatedServers: AggregatedServers;
  /** What they say of themselves, once it is begun to ask them. */
  readonly aggregatedDocuments: AggregatedDocuments;
  /** Other servers of the log; undefined: nothing is passed on to them. */
  readonly peers: PeerServers | undefined;
  /** The watches that are open, for metrics and the end. */
  readonly sessions: WatchSessions;
  readonly metrics: Metrics;
}

/** What the flags say of the kinds that this server serves. */
interface ServedSections extends BuiltInSections {
  readonly lifecycle: Pick<WorkerSettings, 'workers'>;
}

interface ViewsSections extends ServedSections {
  readonly egress: EgressSettings;
  readonly metrics: MetricsSettings;
}

/** @throws StartupError when the options name APIs that there are not. */
export async function openServerViews(
  options: ViewsSections,
  { engine, faults, externals, logger }: ServerLog,
): Promise<ServerViews> {
  const { clock } = externals;
  const builtIn = builtInOf(options, clock);
  for (const sentence of missingResources(options.features, clock)) logger.warn({}, sentence);
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
  metrics.text(() => externals.nodes.figures?.format() ?? '');
  const aggregated = new AggregatedServices(opened.followed);
  const aggregatedServers = externals.aggregated(opened.objects);
  const asked = { clock, faults, services: aggregated, servers: aggregatedServers };
  const aggregatedDocuments = new AggregatedDocuments(asked);
  const peers = peerServers(options, { opened, served, aggregated, externals, faults, metrics });
  const behind = { aggregated, aggregatedServers, aggregatedDocuments, peers };
  return { opened, served, sessions, metrics, ...behind };
}

interface PeerParts {
  readonly opened: Pick<OpenViews, 'followed'>;
  readonly served: ServedResources;
  readonly aggregated: AggregatedServices;
  readonly externals: Externals;
  readonly faults: Faults;
  readonly metrics: Metrics;
}

/** @throws StartupError where the gate of what the flags ask for is off. */
function peerServers(
  { features: { featureGates } }: ServedSections,
  { opened, served, aggregated, externals, faults, metrics }: PeerParts,
): PeerServers | undefined {
  const { peers, clock, random } = externals;
  // A server that asks no others shows them, too, as kube-apiserver does.
  const meters = new PeerFigures();
  meters.show(metrics);
  if (peers === undefined) return undefined;
  const gate = 'UnknownVersionInteroperabilityProxy';
  if (!featureGates.isOn(gate)) {
    throw new StartupError(`--peer-ca-file requires ${gate} feature to be turned on`);
  }
  const isShared = (group: string, version: string): boolean =>
    aggregated.at(group, version) !== undefined || served.isCustom(group, version);
  return new PeerServers({
    ...{ clock, random, faults, meters, isShared, followed: opened.followed },
    ...{ ...peers, identity: identityOf(hostname()) },
  });
}

/**
 * What is served whatever the definitions say. A server of several processes has no forks.
 *
 * @throws StartupError, see {@link openServerViews}.
 */
export function builtInOf(options: ServedSections, clock: Clock): ServedResources {
  const known = knownBuiltIns(options, clock);
  const hasForks = options.lifecycle.workers === 1;
  const all = hasForks ? known : known.filter(({ facts }) => facts.group !== FORK_GROUP);
  const resources = enabledResources(all, options.features.runtimeConfig);
  if (typeof resources === 'string') throw new StartupError(`--runtime-config: ${resources}`);
  return new ServedResources(resources);
}

/** Of this process, by what makes a difference. */
const KNOWN = new WeakMap<Clock, Map<string, readonly ServedResource[]>>();

/** Servers of one process that were told the same have the same kinds: they hold nothing of a server. */
function knownBuiltIns(options: BuiltInSections, clock: Clock): readonly ServedResource[] {
  const { featureGates, runtimeConfig } = options.features;
  const gates = [...featureGates.entries()].map(({ name, isOn }) => [name, isOn]);
  const said = [options.admission.allowPrivileged, gates, [...runtimeConfig]];
  const key = JSON.stringify(said);
  const known = KNOWN.get(clock) ?? new Map<string, readonly ServedResource[]>();
  KNOWN.set(clock, known);
  const made = known.get(key) ?? builtInResources(clock, builtInOptions(options));
  known.set(key, made);
  return made;
}

interface CustomResourceParts {
  readonly externals: Externals;
  /** What rules of definitions cost; undefined: it is not counted. */
  readonly meters?: RuleMeters;
}

/** @param builtIn what is served whatever the definitions say. */
export function servedBy(
  { objects, resourceViews }: Pick<OpenViews, 'objects' | 'resourceViews'>,
  builtIn: ServedResources,
  { externals, meters }: CustomResourceParts,
): ServedResources {
  const { clock, random } = externals;
  const converter = { webhooks: externals.webhooks(objects), random, meters };
  const compiled = new CompiledDefinitions({
    clock,
    compile: (definition) => compileDefinition(definition, converter),
  });
  return builtIn.with(
    new CustomDefinitions({
      objects,
      pastOf: (resource) => resourceViews.of(resource),
      compiled,
      reserved: builtIn.storages(),
      reservedVersions: builtIn.versions(),
    }),
  );
}

interface ServerMetricsParts {
  readonly clock: Clock;
  readonly sessions: WatchSessions;
  readonly shown: ShownFamilies;
}

/** Of requests, objects and watches. */
function serverMetrics(
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
