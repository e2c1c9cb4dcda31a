/**
 * The fifth phase of a server: its certificates, the filters, the port that leads into them, and the
 * socket of `--debug-socket-path`.
 */
import { insecureCipherSuites } from '../../flags/sections/tls-settings.ts';
import type { Pki } from '../../listener/tls/self-signed.ts';
import type { ControlPlanes, PlanesParts } from '../control-plane/control-planes.ts';
import { fillKeyRing } from '../guards/service-account-keys.ts';
import {
  type CertificateSections,
  certificatesFor,
  startCertificateReload,
} from './certificates.ts';
import { type Front, type FrontSections, frontOf } from './front.ts';
import { type ServerTracing, startTracing } from './tracing.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { DebugSocket } from '../../listener/debug-socket.ts';
import { type DebugParts, debugToolsRoute } from '../../routes/debug.ts';
import type {
  LifecycleSettings,
  TracingSettings,
} from '../../flags/sections/lifecycle-settings.ts';
import type { ServiceSettings } from '../../flags/sections/service-settings.ts';
import type { UserSettings } from '../../flags/serve-settings.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';

/** What the flags say of the port and of all in front of the control planes. */
interface PortSections extends CertificateSections, FrontSections {
  readonly authentication: UserSettings;
  readonly services: ServiceSettings;
  readonly tracing: TracingSettings;
}

/** The phases before it. */
export interface FrontParts extends PlanesParts {
  /** The fourth phase. */
  readonly planes: ControlPlanes;
}

export interface ServerFront {
  readonly front: Front;
  readonly pki: Pki;
  /** Sends spans, until it is closed. */
  readonly tracing: ServerTracing;
  /** Resolves when --debug-socket-path is gone; at once where there is none. */
  closeDebugSocket(): Promise<void>;
}

/** Everything up to the port, which is not open yet. @throws StartupError */
export async function prepareFront(
  options: PortSections,
  { log, views, guards: { guards, fairness, auditing }, planes }: FrontParts,
): Promise<ServerFront> {
  const { logger, companions, stopping } = log;
  for (const suite of insecureCipherSuites(options.listening)) {
    logger.warn({}, `Use of insecure cipher '${suite}' detected.`);
  }
  const { pki, tls } = await certificatesFor(options, planes.main);
  await fillKeyRing(guards.keys, { ...options.authentication, dataDir: options.log.dataDir });
  const tracing = await startTracing(options.tracing);
  const front = frontOf(options, {
    ...{ logger, guards, tls, faults: log.faults, signals: companions.signals },
    ...{ metrics: views.metrics, sessions: views.sessions },
    way: planes.forks.wayWith(planes.main),
    audit: auditing.audit,
    tracer: tracing.tracer,
    flowControl: fairness.flowControl,
    live: planes.live,
  });
  await startCertificateReload(options, {
    ...{ pki, logger, listener: front.listener, metrics: views.metrics },
    trust: guards.trust,
    until: stopping.signal,
  });
  const closeDebugSocket = await openDebugSocket(options.lifecycle, { ...companions, logger });
  return { front, pki, tracing, closeDebugSocket };
}

/** @returns closes it. @throws StartupError when it cannot be opened. */
async function openDebugSocket(
  { debugSocketPath: path }: Pick<LifecycleSettings, 'debugSocketPath'>,
  { debug, logger }: { readonly debug: DebugParts; readonly logger: Logger },
): Promise<() => Promise<void>> {
  if (path === undefined) return () => Promise.resolve();
  const socket = new DebugSocket({
    clock: systemClock,
    route: debugToolsRoute(debug),
    failed: (error) => {
      logger.error({ err: error }, 'the socket for debugging failed');
    },
  });
  try {
    await socket.listen(path);
  } catch (error) {
    const problem = systemProblem(error);
    throw new StartupError(`--debug-socket-path: cannot listen on ${path}: ${problem}`, {
      cause: error,
    });
  }
  return () => socket.close();
}
