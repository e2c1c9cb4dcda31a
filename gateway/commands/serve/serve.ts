/**
 * The composition root: everything is wired here, and nowhere else.
 */
import { addLogChecks } from '../../../actors/lifecycle/log-checks.ts';
import { faultsTo, stackOf, type Faults } from '../../../actors/request/faults.ts';
import type { SelfWitness } from '../../../actors/loopback/loopback.ts';
import type { UserInfo } from '../../../actors/request/request.ts';
import { ForkBases } from '../../../actors/served-resources/fork-bases.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import { enabledResources } from '../../../api/kinds/runtime-config.ts';
import { ServedResources } from '../../../actors/served-resources/served-resources.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { ruleMeters } from '../../metrics/expression-meters.ts';
import { WatchMeters } from '../../metrics/watch-meters.ts';
import { firstOf, type Route } from '../../routes/route.ts';
import { shredRoute, type LiveInForks } from '../../routes/shred.ts';
import { serverRoutes } from '../../routes/server-routes.ts';
import { WatchSessions } from '../../watch/watch-sessions.ts';
import { admissionWaysOf } from '../../server/control-plane/admission.ts';
import { startAudit } from '../../server/front/audit.ts';
import { endOutdatedWatches, servedBy } from '../../server/control-plane/custom-resources.ts';
import { openDebugSocket } from '../../server/front/debug-socket.ts';
import {
  startControlPlane,
  type ControlPlane,
  type ControlPlaneParts,
} from '../../server/control-plane/control-plane.ts';
import { measureEgress } from '../../configuration/egress.ts';
import { startForks } from '../../server/control-plane/forks.ts';
import { addressOf, frontOf } from '../../server/front/front.ts';
import { fairnessOf, startFlowKeeping } from '../../server/guards/fairness.ts';
import { guardsOf } from '../../server/guards/guards.ts';
import { leaveKubeconfig, prepareCertificates, type Certificates } from './first-start.ts';
import { companionsOf, startCertificateReload } from '../../server/lifecycle/life-parts.ts';
import { embeddedEngine, openLogEngine, type LogEngine } from '../../server/log/log-engine.ts';
import { openViews, type OpenViews } from '../../server/views/open-views.ts';
import { openProgramLog, type ProgramLog } from '../../server/lifecycle/program-log.ts';
import type { OpenLog } from '../../server/log/open-log.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { measureControlPlane, serverMetrics } from '../../server/front/server-figures.ts';
import { beginLife } from '../../server/lifecycle/server-life.ts';
import { shareAuthority } from '../../server/guards/shared-authority.ts';
import {
  runControllers,
  type RunningControllers,
} from '../../server/control-plane/run-controllers.ts';
import { openIdOf } from '../../server/guards/authentication.ts';
import { measureAuthentication } from '../../server/guards/authentication-figures.ts';
import { fillKeyRing } from '../../server/guards/service-account-keys.ts';
import { servedLog } from '../../server/log/served-log.ts';
import { addStartHooks } from '../../server/control-plane/start-hooks.ts';
import { tellReady } from '../../process/service-manager.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';
import { insecureCipherSuites } from '../../flags/tls-settings.ts';
import { startTracing } from '../../server/front/tracing.ts';
import { readTokenUsers } from '../../server/guards/token-users.ts';
import { collectYoungAlone } from '../../process/young-generation.ts';

/**
 * Starts the server; it runs until a signal ends the process.
 *
 * @param given the log, where somebody in this process has opened it and writes to it.
 * @throws StartupError when something stands in the way that the operator can put right.
 */
export async function serve(options: ServeOptions, given?: OpenLog): Promise<void> {
  collectYoungAlone();
  const programLog = openProgramLog(options);
  const { logger } = programLog;
  const { users, warnings } = await readTokenUsers(options.tokenAuthFile);
  for (const warning of warnings) logger.warn({}, warning);
  for (const suite of insecureCipherSuites(options)) {
    logger.warn({}, `Use of insecure cipher '${suite}' detected.`);
  }
  const engine =
    given === undefined
      ? await openLogEngine(options, logger)
      : embeddedEngine(given, { options, logger });
  const opened = await openViews(engine.opened, systemClock);
  try {
    await start(options, opened, { engine, users, ...programLog });
  } catch (error) {
    await opened.close();
    throw error;
  }
}

interface OpenParts extends ProgramLog {
  readonly engine: LogEngine;
  readonly users: ReadonlyMap<string, UserInfo>;
}

async function start(options: ServeOptions, opened: OpenViews, parts: OpenParts): Promise<void> {
  const { engine, logger } = parts;
  const server = await serverOf(options, opened, parts);
  const { main, bases, guards, metrics, forks, faults, fairness, companions } = server;
  const { pki, tls } = await certificatesFor(options, main);
  await fillKeyRing(guards.keys, options);
  measureControlPlane(metrics, main, engine.opened);
  engine.measure(metrics, opened);
  metrics.gauge('everwatch_open_forks', 'Forks that are open just now.', () => forks.open.count);
  const auditing = await startAudit(options, { logger, faults, metrics });
  server.witness.audit = auditing.audit;
  const tracing = await startTracing(options);
  const front = frontOf(options, {
    ...server,
    ...companions,
    logger,
    way: forks.way,
    audit: auditing.audit,
    tracer: tracing.tracer,
    flowControl: fairness.flowControl,
    tls,
  });
  const { listener } = front;
  server.address.of = () => addressOf(options, listener);
  await startCertificateReload(options, {
    pki,
    listener,
    logger,
    metrics,
    trust: guards.trust,
    until: server.stopping.signal,
  });
  const closeDebugSocket = await openDebugSocket(options, { ...companions, logger });
  const stopEngine = engine.start(main, () => bases.keepFrom());
  const { context, opened: views } = main;
  const { checks } = companions;
  addLogChecks(checks, { ...engine, committer: context.committer, ...views, clock: systemClock });
  const writing = prepareWriting(options, server, pki.authority);
  const flush = async (): Promise<void> => {
    await writing.stop();
    await auditing.flush();
    await tracing.flush();
    await stopEngine();
    await forks.close();
    await main.close();
    await closeDebugSocket();
  };
  await beginLife(options, { ...server, ...companions, front, logger, flush });
  process.stdout.write(`${await leaveKubeconfig(options, pki, listener.port)}\n`);
  if (guards.warning !== undefined) logger.warn({}, guards.warning);
  logger.info({ port: listener.port }, 'serving');
  await tellReady(process.env, logger);
}

type Server = Awaited<ReturnType<typeof serverOf>>;

/** Everything behind the front: the control planes, and who guards and measures them. */
async function serverOf(
  options: ServeOptions,
  opened: OpenViews,
  { engine, users, ...programLog }: OpenParts,
) {
  const { logger } = programLog;
  const meters = ruleMeters(() => performance.now());
  const builtIn = new ServedResources(resourcesOf(options));
  const served = servedBy(opened, builtIn, { ...options, meters });
  const faults = faultsTo(logger);
  const stopping = new AbortController();
  const guards = await guardsOf(options, { opened, users, logger, until: stopping.signal });
  const watchMeters = new WatchMeters();
  const sessions = watchSessions(faults, watchMeters);
  const metrics = serverMetrics(served, opened, { sessions, shown: options });
  metrics.text(() => watchMeters.format());
  metrics.text(() => guards.reloads.format() + guards.authorizationMeters.format());
  meters.show(metrics);
  measureAuthentication(metrics, guards);
  measureEgress(metrics, options.egressSelectorConfigFile);
  const fairness = fairnessOf(options, { opened, metrics });
  const witness = selfWitness(metrics);
  const companions = companionsOf(options, { engine, ...programLog });
  // Known when the port is open.
  const address = { of: (): string => '' };
  const { featureGates } = options;
  const paths = { metrics, ...companions, featureGates, address: () => address.of() };
  const openId = openIdOf(options, guards, paths.address);
  const planes = await startPlanes(opened, {
    options,
    served,
    guards,
    faults,
    meters: metrics.admission,
    storage: metrics.storage,
    admissionWays: await admissionWaysOf(options),
    sessions,
    witness,
    engine,
    routes: (resources) =>
      firstOf([fairness.route, serverRoutes({ served: resources, ...paths, openId })]),
    stopping: stopping.signal,
    readingFailed: (error) => {
      logger.fatal({ err: error, stack: stackOf(error) }, 'the log cannot be read any more');
      process.exit(1);
    },
  });
  return {
    ...{ served, faults, guards, sessions, metrics, fairness, companions, stopping, address },
    witness,
    ...planes,
  };
}

/** What the server writes of itself from its start on. @returns ends it. */
function prepareWriting(options: ServeOptions, server: Server, authority: string) {
  const { main, served, faults, fairness, companions, guards } = server;
  const { tokens, uses, trust } = guards;
  let controllers: RunningControllers | undefined;
  const startControllers = (): RunningControllers =>
    (controllers = runControllers(main, { options, served, authority, faults, tokens }));
  const { flowControl } = fairness;
  const keeper = startFlowKeeping(main, { options, faults, flowControl });
  if (!options.readOnly) {
    const until = server.stopping.signal;
    const parts = { main, options, startControllers, keeper, trust, uses, faults, until };
    addStartHooks(companions.hooks, parts);
  }
  return {
    async stop(): Promise<void> {
      await keeper.stop();
      await controllers?.stop();
    },
  };
}

/** The audit is started when it is known what there is to write down. */
function selfWitness({ requests }: Metrics): SelfWitness {
  return {
    audit: undefined,
    random: systemRandom,
    asked: (info) => {
      requests.selfAsked(info);
    },
  };
}

function watchSessions(faults: Faults, meters: WatchMeters): WatchSessions {
  return new WatchSessions({
    meters,
    clock: systemClock,
    failed: (error) => faults.record('showing a watch', error),
  });
}

/** @throws StartupError when it is told of APIs that there are not. */
function resourcesOf(options: ServeOptions): ServedResource[] {
  const builtIn = builtInResources(systemClock, options);
  const resources = enabledResources(builtIn, options.runtimeConfig);
  if (typeof resources === 'string') throw new StartupError(`--runtime-config: ${resources}`);
  return resources;
}

interface PlanesParts extends Omit<ControlPlaneParts, 'forks' | 'route'> {
  readonly sessions: WatchSessions;
  readonly engine: LogEngine;
  /** Paths that are no resources, where these are the resources that are served. */
  readonly routes: (served: ServedResources) => Route;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** The main control plane, and the forks that stand on it. */
async function startPlanes(opened: OpenViews, parts: PlanesParts) {
  const { options, served, guards, faults, sessions, engine, routes, stopping } = parts;
  const { meters, admissionWays, witness } = parts;
  const toolsOf = { stopping, engine: options.log.engine };
  const { objects, resourceViews, applied } = opened;
  engine.shredder?.whenForgotten((resource) => {
    // Whoever watches from the past reads it from the log again.
    resourceViews.of(resource).window.skipTo(applied.current);
  });
  let live: LiveInForks = () => Promise.resolve(new Map()); // Until forks can be opened.
  const tools = firstOf([
    servedLog(opened, { ...toolsOf, more: () => engine.status(opened) }),
    shredRoute({ shredder: engine.shredder, objects, liveInForks: (...of) => live(...of) }),
  ]);
  const bases = new ForkBases(opened.objects);
  const route = firstOf([tools, routes(served)]);
  const main = await startControlPlane(opened, { ...parts, forks: bases, route });
  endOutdatedWatches(main, served, sessions);
  const forks = await startForks({
    main,
    bases,
    logs: engine.forks,
    sessions,
    faults,
    plane: { options, guards, meters, admissionWays, witness },
    routes,
    tools: (inFork) => servedLog(inFork, toolsOf),
  });
  live = forks.live;
  return { main, forks, bases };
}

/** Those of the control plane, where other servers are part of it. */
async function certificatesFor(
  options: ServeOptions,
  { context, opened: { hasOtherWriters } }: ControlPlane,
): Promise<Certificates> {
  if (hasOtherWriters && !options.readOnly) {
    const { dataDir, keyFile } = options;
    await shareAuthority({ context, clock: systemClock, random: systemRandom, dataDir, keyFile });
  }
  return prepareCertificates(options, systemClock.now());
}
