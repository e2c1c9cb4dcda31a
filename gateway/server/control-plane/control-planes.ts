/**
 * The fourth phase of a server: its log is folded, and requests that have crossed the filters can be
 * answered, by the main control plane and by the forks that stand on it. Its figures are shown.
 */
import type { SelfWitness } from '../../../actors/loopback/loopback.ts';
import { type Faults, stackOf } from '../../../actors/request/faults.ts';
import {
  storageVersionBarrier,
  StorageVersions,
  storedResources,
} from '../../../actors/controllers/storage-versions.ts';
import { ForkBases } from '../../../actors/served-resources/fork-bases.ts';
import type { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import {
  formatAddress,
  isInPrefix,
  type AddressRange,
} from '../../../api/kinds/core/services/service-ranges.ts';
import type { LogSettings, UserSettings } from '../../flags/serve-settings.ts';
import type { AdmissionSettings } from '../../flags/sections/admission-settings.ts';
import type { EgressSettings } from '../../flags/sections/kubelet-settings.ts';
import type {
  FeatureSettings,
  LifecycleSettings,
} from '../../flags/sections/lifecycle-settings.ts';
import type { ListeningSettings } from '../../flags/sections/listening-settings.ts';
import type { PageSettings } from '../../flags/sections/page-settings.ts';
import type { WatchSessions } from '../../watch/watch-sessions.ts';
import type { ServerFigures } from '../../routes/figures.ts';
import type { ServiceAddress } from '../../routes/discovery.ts';
import { firstOf, type Route } from '../../routes/route.ts';
import { builtPageFiles, pageRoute } from '../../routes/page.ts';
import { serverRoutes } from '../../routes/server-routes.ts';
import { shredRoute } from '../../routes/shred.ts';
import { openIdOf } from '../guards/authentication.ts';
import type { ServerGuards } from '../guards/server-guards.ts';
import { servedLog } from '../log/served-log.ts';
import type { ServerLog } from '../log/server-log.ts';
import { builtInOptions } from '../views/open-views.ts';
import type { ServerViews } from '../views/server-views.ts';
import { admissionSetupOf } from './admission.ts';
import { type ControlPlane, type ControlPlaneParts, startControlPlane } from './control-plane.ts';
import { ServerForks } from './forks.ts';
import { knownHost, ListeningAddress } from './service-hooks.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { headlampRoutes } from '../../headlamp/headlamp-route.ts';
import { LateLiveHub } from '../../live/live-hub.ts';
import { liveRoutes } from '../../live/live-events.ts';
import { endOutdatedWatches } from './outdated-watches.ts';
import { controlPlaneComponents } from './probed-components.ts';
import { resetsOf } from './resets.ts';
import type { PlaneOptions } from './write-context.ts';
import { LOG_NAME } from '../../../actors/handlers/componentstatuses/log-component.ts';
import { measureAllocation } from '../../metrics/allocation-figures.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { LogEngine } from '../log/log-engine.ts';

/** How the log names what RBAC decides by. */
const RULES = 'rbac.authorization.k8s.io/';

/** What the phases before have made. */
export interface PlanesParts {
  /** The first phase. */
  readonly log: ServerLog;
  /** The second phase. */
  readonly views: ServerViews;
  /** The third phase. */
  readonly guards: ServerGuards;
}

/** What the flags say of what answers requests. */
/** As upstream; no flag names another folder. */
const LOG_FILES = '/var/log';

interface PlanesSections extends PlaneOptions {
  readonly log: LogSettings;
  readonly features: FeatureSettings;
  readonly listening: ListeningSettings;
  readonly authentication: UserSettings;
  readonly admission: AdmissionSettings;
  readonly egress: EgressSettings;
  readonly pages: PageSettings;
  readonly lifecycle: Pick<LifecycleSettings, 'logFiles'>;
}

export interface ControlPlanes {
  /** The one at `/api` and `/apis`. */
  readonly main: ControlPlane;
  /** Where forks begin, so that their past is kept. */
  readonly bases: ForkBases;
  /** Those that are open, by name. */
  readonly forks: ServerForks;
  /** Told of the port once it is open. */
  readonly address: ListeningAddress;
  /** What this server says of what it stores; undefined: nothing. */
  readonly storageVersions: StorageVersions | undefined;
  /** Given its hub when the filters are put together. */
  readonly live: LateLiveHub;
  /** The server has started: it is this state that a reset leads back to. */
  readonly ready: () => void;
  /** Finishes what is under way and lets go of the logs, of forks first. */
  close(): Promise<void>;
}

/** @throws StartupError; or what is in the way of reading the log. */
export async function startControlPlanes(
  options: PlanesSections,
  parts: PlanesParts,
): Promise<ControlPlanes> {
  const { log, views, guards } = parts;
  const { opened, served, sessions, metrics, aggregatedDocuments, peers } = views;
  const { engine, externals, faults } = log;
  readAgainWhenForgotten(parts);
  const address = new ListeningAddress(knownHost(options.listening));
  const routes = routesWith(options, parts, address);
  const ofMachine = options.lifecycle.logFiles ? { logFiles: LOG_FILES } : {};
  const live = new LateLiveHub();
  const pages = await pageRoutes(options.pages, live, externals.clock);
  const bases = new ForkBases(opened.objects);
  const plane = {
    ...{ options, externals },
    guards: guards.guards,
    components: controlPlaneComponents(),
    meters: metrics.admission,
    admission: await admissionSetupOf(
      { ...options.admission, ...options.egress },
      options.features.featureGates,
    ),
    witness: selfWitness(parts),
  };
  const { address: logAddress, readOnly: isReadOnly } = options.log;
  const toolsOf = {
    ...{ stopping: log.stopping.signal, engine: logAddress.engine, isReadOnly },
    rights: live,
  };
  const forks = new ServerForks({
    ...{ parent: opened, bases, logs: engine.forks, sessions, faults, routes },
    // What another server holds of a fork is not known, so no request of one goes there.
    plane: { ...plane, aggregation: { services: views.aggregated, servers: undefined } },
    builtIn: builtInOptions(options),
    tools: (inFork) => servedLog(inFork, toolsOf),
  });
  const storageVersions = storageVersionsOf(options, served);
  const resets = resetsOf(options, { engine, opened, context: () => main.context });
  const main: ControlPlane = await startControlPlane(opened, {
    ...plane,
    ...barrierOf(storageVersions, faults),
    ...{ served, faults, forks: bases, storage: metrics.storage },
    aggregation: {
      ...{ services: views.aggregated, servers: views.aggregatedServers },
      ...{ documents: aggregatedDocuments, peers },
    },
    routeOf: ({ moment }) =>
      firstOf([
        ...pages,
        servedLog(opened, {
          ...toolsOf,
          ...{ more: () => engine.status(opened), origin: () => engine.origin() },
          figures: () => figuresOf(metrics, sessions, live),
        }),
        ...resets.routes,
        shredRoute({
          shredder: engine.shredder,
          objects: opened.objects,
          liveInForks: forks.liveIn(moment),
        }),
        routes(served, { ...ofMachine, aggregatedDocuments, peers }),
      ]),
    readingFailed: endWith(log),
  });
  endOutdatedWatches(main, served, sessions);
  tellOfRules(main, live);
  await forks.follow(main);
  measureControlPlane(metrics, main, engine, forks);
  return {
    ...{ main, bases, forks, address, live, storageVersions },
    ready: resets.ready,
    async close() {
      await forks.close();
      await main.close();
    },
  };
}

/** What pages ask for, besides the API. @throws StartupError */
async function pageRoutes(
  pages: PageSettings,
  live: LateLiveHub,
  clock: Clock,
): Promise<readonly Route[]> {
  return [...liveRoutes(live, clock), ...(await headlampRoutes(pages, { live, clock }))];
}

/** Nothing that is answered could be trusted. */
function endWith({ logger, host }: ServerLog): (error: unknown) => void {
  return (error) => {
    logger.fatal({ err: error, stack: stackOf(error) }, 'the log cannot be read any more');
    host.exit(1);
  };
}

/** What waits until it is said what this server stores. */
function barrierOf(
  versions: StorageVersions | undefined,
  faults: Faults,
): Pick<ControlPlaneParts, 'barrier'> {
  if (versions === undefined) return {};
  return { barrier: (next) => storageVersionBarrier({ versions, faults }, next) };
}

/** Where nothing is written or the kind is not served, nothing is said and nothing waits for it. */
function storageVersionsOf(
  { features: { featureGates }, log: { readOnly } }: PlanesSections,
  served: ServedResources,
): StorageVersions | undefined {
  const isOn = featureGates.isOn('StorageVersionAPI') && featureGates.isOn('APIServerIdentity');
  const isServed = served.has('internal.apiserver.k8s.io', 'v1alpha1', 'storageversions');
  if (!isOn || readOnly || !isServed) return undefined;
  return new StorageVersions(storedResources(served.builtIn()));
}

/** Paths that are no resources, where `served` are the resources that are served. */
function routesWith(
  options: PlanesSections,
  { log, views: { metrics }, guards }: PlanesParts,
  address: ListeningAddress,
): (served: ServedResources, elsewhere?: ShownElsewhere) => Route {
  const { featureGates } = options.features;
  const at = (): string => address.text;
  const service = serviceAddress(options.services.ranges[0]);
  const allFigures = log.host.gatherFigures?.(() => metrics.format());
  const paths = { metrics, allFigures, ...log.companions, featureGates, address: at, service };
  const openId = openIdOf(options.authentication, guards.guards, at);
  const page = pageRoute(builtPageFiles());
  return (served, elsewhere = {}) => {
    const parts = { served, ...paths, openId, page, ...elsewhere };
    return firstOf([guards.fairness.route, serverRoutes(parts)]);
  };
}

/** What other servers serve, and files of the machine: in forks, which have rights of their own, nothing of it is shown. */
interface ShownElsewhere extends Partial<Pick<ServerViews, 'aggregatedDocuments' | 'peers'>> {
  readonly logFiles?: string;
}

/** Live connections ask for their rights again when rules have changed. */
function tellOfRules({ listen }: Pick<ControlPlane, 'listen'>, live: LateLiveHub): void {
  listen(({ resource }) => {
    if (resource.startsWith(RULES)) live.rulesChanged();
  });
}

function figuresOf(metrics: Metrics, sessions: WatchSessions, live: LateLiveHub): ServerFigures {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    requests: metrics.requests.totals(),
    watches: sessions.openCount,
    watchLag: sessions.lag(),
    live: { connections: live.hub.connectionCount, subscriptions: live.hub.subscriptionCount },
    cpuSeconds: (user + system) / MICROSECONDS,
    memory: { rssBytes: rss, heapUsedBytes: heapUsed },
  };
}

const MICROSECONDS = 1_000_000;

/** Clients in the range of services may come by the service `kubernetes`. */
function serviceAddress(range: AddressRange): ServiceAddress {
  const host = formatAddress(range.family, range.first);
  return {
    clientCIDR: range.text,
    serverAddress: `${range.family === 'IPv6' ? `[${host}]` : host}:443`,
    has: (address) => isInPrefix(range, address),
  };
}

/** The start waits for no other server, and readiness until each was asked once. */
export function askOtherServers({
  log,
  views: { aggregatedDocuments, peers },
}: Pick<PlanesParts, 'log' | 'views'>): void {
  const name = 'apiservice-discovery-controller';
  log.companions.hooks.afterStart(name, () => aggregatedDocuments.begin(), { isAwaited: false });
  if (peers !== undefined) {
    const asked = () => peers.begin();
    log.companions.hooks.afterStart('mixed-version-proxy-handler', asked, { isAwaited: false });
  }
  log.stopping.signal.addEventListener('abort', () => {
    aggregatedDocuments.stop();
    peers?.stop();
  });
}

/** What the server asks of itself is audited and counted as what clients ask. */
function selfWitness({ log, views, guards }: PlanesParts): SelfWitness {
  return {
    audit: guards.auditing.audit,
    random: log.externals.random,
    asked: (info) => {
      views.metrics.requests.selfAsked(info);
    },
  };
}

/** Watches that began in the past read from the log what the window still has of a forgotten object. */
function readAgainWhenForgotten({ log: { engine }, views: { opened } }: PlanesParts): void {
  engine.shredder?.whenForgotten((resource) => {
    opened.resourceViews.forgetRecent(resource);
  });
}

/** What became of the records that were folded, what can be read, and what that takes. */
function measureControlPlane(
  metrics: Metrics,
  { verdicts, context, opened }: ControlPlane,
  engine: LogEngine,
  forks: Pick<ServerForks, 'open'>,
): void {
  measureAllocation(metrics, context.allocation);
  engine.measure(metrics, opened);
  const { store } = opened;
  const { log } = engine.opened;
  metrics.gauge('everwatch_open_forks', 'Forks that are open just now.', () => forks.open.count);
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
