/** The fifth phase of a server: its certificates, the filters, and the port that leads into them. */
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { insecureCipherSuites } from '../../flags/sections/tls-settings.ts';
import type { Pki } from '../../listener/self-signed.ts';
import type { ControlPlanes, PlanesParts } from '../control-plane/control-planes.ts';
import { fillKeyRing } from '../guards/service-account-keys.ts';
import { certificatesFor } from './certificates.ts';
import { openDebugSocket } from './debug-socket.ts';
import { frontOf, type Front } from './front.ts';
import { startCertificateReload } from './certificate-reload.ts';
import { startTracing, type ServerTracing } from './tracing.ts';

export interface FrontParts extends PlanesParts {
  readonly planes: ControlPlanes;
}

export interface ServerFront {
  readonly front: Front;
  readonly pki: Pki;
  readonly tracing: ServerTracing;
  closeDebugSocket(): Promise<void>;
}

/** Everything up to the port, which is not open yet. @throws StartupError */
export async function prepareFront(
  options: ServeOptions,
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
  });
  await startCertificateReload(options, {
    ...{ pki, logger, listener: front.listener, metrics: views.metrics },
    trust: guards.trust,
    until: stopping.signal,
  });
  const closeDebugSocket = await openDebugSocket(options.lifecycle, { ...companions, logger });
  return { front, pki, tracing, closeDebugSocket };
}
