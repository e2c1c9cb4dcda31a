/**
 * The composition root: everything is wired here, and nowhere else.
 */
import { pino, type Logger } from 'pino';
import type { Ref } from '../../actors/actor.ts';
import { faultsTo, type Faults } from '../../actors/faults.ts';
import { hall } from '../../actors/house.ts';
import { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import {
  serverLifecycle,
  type ServerLifecycle,
  type ShutdownSteps,
} from '../../actors/lifecycle/server-lifecycle.machine.ts';
import { stopOnSignals } from '../../actors/lifecycle/stop-signals.ts';
import type { AuthenticatedRequest, ReceivedRequest, UserInfo } from '../../actors/request.ts';
import { ForkBases } from '../../actors/resources/everwatch/forks/fork-bases.ts';
import { builtInResources } from '../../actors/resources/built-in.ts';
import { ServedResources } from '../../actors/resources/served-resources.ts';
import { waitGroup, type WaitGroup } from '../../actors/wait-group.ts';
import { Listener } from '../listener/listener.ts';
import { Metrics } from '../metrics/metrics.ts';
import { AnswerWriter } from '../outbound/answer-writer.ts';
import { firstOf, type Route } from '../routes/route.ts';
import { shredRoute } from '../routes/shred.ts';
import { serverRoutes } from '../routes/server-routes.ts';
import { WatchSessions } from '../watch/watch-sessions.ts';
import { WebSocketWatches } from '../watch/websocket-watch.ts';
import { endOutdatedWatches, servedBy } from './custom-resources.ts';
import {
  furnish,
  startControlPlane,
  type ControlPlane,
  type ControlPlaneParts,
  type Guards,
} from './control-plane.ts';
import { startForks, type Forks } from './forks.ts';
import { guardsOf } from './guards.ts';
import { leaveKubeconfig, prepareCertificates, type Certificates } from './first-start.ts';
import { embeddedEngine, openLogEngine, type LogEngine } from './log-engine.ts';
import { openGallery, type OpenGallery } from './open-gallery.ts';
import type { OpenLog } from './open-log.ts';
import type { ServeOptions } from './serve-settings.ts';
import { measureControlPlane, serverMetrics } from './server-figures.ts';
import { shareAuthority } from './shared-authority.ts';
import { runControllers } from './run-controllers.ts';
import { servedLog } from './served-log.ts';
import { StartupError, systemProblem } from './startup-error.ts';
import { systemClock, systemRandom } from './system-clock.ts';
import { readTokenUsers } from './token-users.ts';

const STEP_TIMEOUT_MS = 60_000;

/**
 * Starts the server; it runs until a signal ends the process.
 *
 * @param given the log, where somebody in this process has opened it and writes to it.
 * @throws StartupError when something stands in the way that the operator can put right.
 */
export async function serve(options: ServeOptions, given?: OpenLog): Promise<void> {
  const logger = pino({ level: options.logLevel }, pino.destination({ fd: 2, sync: true }));
  const { users, warnings } = await readTokenUsers(options.tokenAuthFile);
  for (const warning of warnings) logger.warn({}, warning);
  const engine =
    given === undefined
      ? await openLogEngine(options, logger)
      : embeddedEngine(given, { options, logger });
  const opened = await openGallery(engine.opened, systemClock);
  try {
    await start(options, opened, { engine, logger, users });
  } catch (error) {
    await opened.close();
    throw error;
  }
}

interface Household {
  readonly engine: LogEngine;
  readonly logger: Logger;
  readonly users: ReadonlyMap<string, UserInfo>;
}

async function start(
  options: ServeOptions,
  opened: OpenGallery,
  { engine, logger, users }: Household,
): Promise<void> {
  const served = servedBy(opened, new ServedResources(builtInResources(systemClock)));
  const faults = faultsTo(logger);
  const guards = guardsOf(options, { opened, users });
  const sessions = new WatchSessions({
    clock: systemClock,
    failed: (error) => faults.record('showing a watch', error),
  });
  const metrics = serverMetrics(served, opened, sessions);
  const checks = new HealthChecks(systemClock);
  if (engine.check !== undefined) checks.add(engine.check, { endpoints: ['readyz'] });
  const stopping = new AbortController();
  const { main, forks, bases } = await startPlanes(opened, {
    options,
    served,
    guards,
    faults,
    sessions,
    engine,
    routes: (resources) =>
      serverRoutes({
        served: resources,
        checks,
        metrics,
        address: () => addressOf(options, listener),
      }),
    stopping: stopping.signal,
    readingFailed: (error) => {
      logger.fatal({ err: error }, 'the log cannot be read any more');
      process.exit(1);
    },
  });
  const { pki, tls } = await certificatesFor(options, main);
  measureControlPlane(metrics, main, engine.opened);
  engine.measure(metrics, opened);
  metrics.gauge('everwatch_open_forks', 'Forks that are open just now.', () => forks.open.count);
  const group = waitGroup();
  const door = hallFor(options, { way: forks.way, logger, faults, metrics, group, guards });
  const listener = listenerFor(door, { tls, sessions, logger });

  if (!options.readOnly) await furnish(main);
  const stopEngine = engine.start(main, () => bases.keepFrom());
  const { authority } = pki;
  const controllers = runControllers(main, { options, served, authority, faults });
  const stopWriting = async (): Promise<void> => {
    await controllers.stop();
    await stopEngine();
  };
  const lifecycle = serverLifecycle({
    clock: systemClock,
    shutdownDelayMs: options.shutdownDelayMs,
    stepTimeoutMs: STEP_TIMEOUT_MS,
    onProblem: (step, error) => {
      logger.error({ step, err: error }, 'shutting down: a step failed');
    },
    steps: shutdownSteps({ listener, group, stopping, sessions, stopWriting, forks, main }),
  });
  await open(options, { listener, lifecycle, checks });
  process.stdout.write(`${await leaveKubeconfig(options, pki, listener.port)}\n`);
  logger.info({ port: listener.port }, 'serving');
}

interface Running {
  readonly listener: Listener;
  readonly group: WaitGroup;
  readonly stopping: AbortController;
  readonly sessions: WatchSessions;
  /** Ends what writes of itself. */
  readonly stopWriting: () => Promise<void>;
  readonly forks: Forks;
  readonly main: ControlPlane;
}

function shutdownSteps(running: Running): ShutdownSteps {
  const { listener, group, stopping, sessions, stopWriting, forks, main } = running;
  return {
    async closeDoors() {
      listener.stopAccepting();
      group.close();
      await Promise.resolve();
    },
    drainRequests: () => group.whenEmpty(),
    async endWatches() {
      stopping.abort();
      sessions.endAll();
      await listener.whenClosed();
    },
    async flush() {
      await stopWriting();
      await forks.close();
      await main.close();
    },
  };
}

function addressOf({ bindAddress }: ServeOptions, { port }: Listener): string {
  return `${bindAddress}:${String(port)}`;
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
async function startPlanes(opened: OpenGallery, parts: PlanesParts) {
  const { options, served, guards, faults, sessions, engine, routes, stopping } = parts;
  const toolsOf = { stopping, engine: options.log.engine };
  const { objects, gallery, applied } = opened;
  engine.shredder?.whenForgotten((resource) => {
    gallery.of(resource).window.skipTo(applied.current);
  });
  const tools = firstOf([
    servedLog(opened, { ...toolsOf, more: () => engine.status(opened) }),
    shredRoute({ shredder: engine.shredder, objects }),
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
    plane: { options, guards },
    routes,
    tools: (inFork) => servedLog(inFork, toolsOf),
  });
  return { main, forks, bases };
}

/** Those of the control plane, where other servers are part of it. */
async function certificatesFor(
  options: ServeOptions,
  { room, opened: { hasOtherWriters } }: ControlPlane,
): Promise<Certificates> {
  if (hasOtherWriters && !options.readOnly) {
    const { dataDir, keyFile } = options;
    await shareAuthority({ room, clock: systemClock, random: systemRandom, dataDir, keyFile });
  }
  return prepareCertificates(options, systemClock.now());
}

/** Opens the port, and from then on can be asked whether all is well, and to stop. */
async function open(
  options: ServeOptions,
  parts: { listener: Listener; lifecycle: ServerLifecycle; checks: HealthChecks },
): Promise<void> {
  const { listener, lifecycle, checks } = parts;
  try {
    await listener.listen(options.securePort, options.bindAddress);
  } catch (error) {
    const where = `${options.bindAddress}:${String(options.securePort)}`;
    throw new StartupError(`cannot listen on ${where}: ${systemProblem(error)}`, { cause: error });
  }
  checks.add(lifecycle.shutdownCheck, { endpoints: ['readyz'] });
  stopOnSignals({
    signals: process,
    stop: () => lifecycle.stop(),
    exit: (code) => process.exit(code),
  });
  lifecycle.started();
}

interface HallParts {
  readonly way: Ref<AuthenticatedRequest>;
  readonly logger: Logger;
  readonly faults: Faults;
  readonly metrics: Metrics;
  readonly group: WaitGroup;
  readonly guards: Guards;
}

function hallFor(
  options: ServeOptions,
  { way, logger, faults, metrics, group, guards }: HallParts,
): Ref<ReceivedRequest> {
  return hall(
    {
      clock: systemClock,
      random: systemRandom,
      logger,
      metrics: metrics.requests,
      faults,
      waitGroup: group,
      ...guards,
      options,
    },
    way,
  );
}

function listenerFor(
  door: Ref<ReceivedRequest>,
  { tls, sessions, logger }: Pick<HallParts, 'logger'> & ListenerNeeds,
): Listener {
  const webSockets = new WebSocketWatches(door, sessions);
  return new Listener({
    tls,
    clock: systemClock,
    hall: door,
    writer: new AnswerWriter(systemClock, (exchange, request, answer) => {
      sessions.overHttp(exchange, request, answer);
    }),
    writeFailed: (error) => {
      logger.error({ err: error }, 'an answer could not be written');
    },
    upgrade: (incoming, socket, head, connection) => {
      webSockets.upgrade(incoming, socket, head, connection);
    },
  });
}

interface ListenerNeeds {
  readonly tls: ConstructorParameters<typeof Listener>[0]['tls'];
  readonly sessions: WatchSessions;
}
