/**
 * A server, put together in five phases: its log, the views over it, what guards them, the control
 * planes that answer, and the front that clients meet. Each phase is a function from the named parts of
 * those before it; what the server writes of itself begins when the port is open.
 */
import { addLogChecks } from '../../actors/lifecycle/log-checks.ts';
import type { Logger } from '../../actors/request/logger.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { ServeOptions } from '../flags/serve-settings.ts';
import type { Pki } from '../listener/tls/self-signed.ts';
import { askOtherServers, startControlPlanes } from './control-plane/control-planes.ts';
import { prepareOwnWrites } from './control-plane/own-writes.ts';
import { type FrontParts, prepareFront, type ServerFront } from './front/server-front.ts';
import { withFrontProxy } from './guards/own-front-proxy.ts';
import { startGuards } from './guards/server-guards.ts';
import { beginLife } from './lifecycle/server-life.ts';
import { type GivenToServer, openServerLog } from './log/server-log.ts';
import { openServerViews } from './views/server-views.ts';

/** A server that answers. */
export interface RunningServer {
  readonly logger: Logger;
  /** The port that it listens on. */
  readonly port: number;
  /** Its authority, and the administrator's certificate. */
  readonly pki: Pki;
  /** The last version that it has applied. */
  current(): ResourceVersion;
  /** How many watches clients have open. */
  openWatches(): number;
}

/**
 * Starts a server; it runs until a signal ends the process.
 *
 * @throws StartupError when something stands in the way that the operator can put right.
 */
export async function startServer(
  asked: ServeOptions,
  given: GivenToServer = {},
): Promise<RunningServer> {
  const log = await openServerLog(asked, given);
  const options = withFrontProxy(asked, log.frontProxy);
  const views = await openServerViews(options, log).catch(async (error: unknown) => {
    await log.engine.opened.close();
    throw error;
  });
  try {
    const guards = await startGuards(options, log, views);
    const planes = await startControlPlanes(options, { log, views, guards });
    const parts = { log, views, guards, planes };
    const front = await prepareFront(options, parts);
    await openPort(options, parts, front);
    const { logger } = log;
    if (guards.guards.warning !== undefined) logger.warn({}, guards.guards.warning);
    const { applied } = views.opened;
    return {
      logger,
      port: front.front.listener.port,
      pki: front.pki,
      current: () => applied.current,
      openWatches: () => views.sessions.openCount,
    };
  } catch (error) {
    await views.opened.close();
    throw error;
  }
}

/** From here on clients are answered, and the server writes what it has to write itself. */
async function openPort(
  options: ServeOptions,
  parts: FrontParts,
  { front, pki, tracing, ...opened }: ServerFront,
): Promise<void> {
  const { log, views, guards, planes } = parts;
  const { engine, companions, logger, stopping, host } = log;
  const { main, bases, address } = planes;
  const stopEngine = engine.start(main, () => bases.keepFrom());
  const { committer, clock } = main.context;
  addLogChecks(companions.checks, { ...engine, committer, ...main.opened, clock });
  askOtherServers(parts);
  const ownWrites = prepareOwnWrites(options, parts, pki.authority);
  const flush = async (): Promise<void> => {
    await ownWrites.stop();
    await guards.auditing.flush();
    await tracing.flush();
    await stopEngine();
    await planes.close();
    await opened.closeDebugSocket();
  };
  try {
    await beginLife(options, {
      ...{ front, address, logger, host, stopping, flush },
      ...{ sessions: views.sessions, live: planes.live },
      ...companions,
    });
  } catch (error) {
    // The process may have other servers, and goes on then.
    stopping.abort();
    front.listener.stopAccepting();
    await stopEngine();
    throw error;
  }
  planes.ready();
}
