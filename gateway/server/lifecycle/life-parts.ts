/** What accompanies a server through its life: signals, checks, hooks, and a look into it. */
import type { Logger } from '../../../actors/request/logger.ts';
import { HealthChecks } from '../../../actors/lifecycle/health-checks.ts';
import { Hooks } from '../../../actors/lifecycle/hooks.ts';
import { LifecycleSignals } from '../../../actors/lifecycle/lifecycle-signals.ts';
import type { Listener } from '../../listener/listener.ts';
import type { Pki } from '../../listener/self-signed.ts';
import { startTlsReload } from '../../listener/tls-reload.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { DebugParts } from '../../routes/debug.ts';
import { clientAuthorities } from '../../listener/tls.ts';
import type { ClientTrust } from '../guards/client-trust.ts';
import { flagTextsOf } from '../../flags/flag-texts.ts';
import { measureLife } from './life-figures.ts';
import type { LogEngine } from '../log/log-engine.ts';
import type { ProgramLog } from './program-log.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';

export interface Companions {
  readonly signals: LifecycleSignals;
  readonly checks: HealthChecks;
  readonly hooks: Hooks;
  readonly debug: DebugParts;
}

export function companionsOf(
  options: ServeOptions,
  { engine, logger, check }: ProgramLog & { readonly engine: LogEngine },
): Companions {
  const signals = new LifecycleSignals((signal) => {
    logger.info({ signal }, 'lifecycle');
  });
  const checks = new HealthChecks(systemClock, () => {
    signals.give('HasBeenReady');
  });
  checks.add(check);
  const { encryptionCheck } = engine;
  if (encryptionCheck !== undefined) {
    checks.add(encryptionCheck, { endpoints: ['healthz', 'readyz'] });
  }
  const debug: DebugParts = {
    clock: systemClock,
    random: systemRandom,
    startedAt: systemClock.now(),
    flags: flagTextsOf(options),
    profiling: options.profiling,
    setVerbosity: (verbosity) => {
      logger.setVerbosity(verbosity);
    },
  };
  return {
    signals,
    checks,
    hooks: new Hooks({ checks, livezGraceMs: options.livezGraceMs }),
    debug,
  };
}

export interface ReloadParts {
  readonly pki: Pki;
  readonly listener: Listener;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly trust: ClientTrust;
  /** Ends it. */
  readonly until: AbortSignal;
}

/** From now on certificates that change on disk are used, and what became of them is shown. */
export async function startCertificateReload(
  options: ServeOptions,
  { pki, listener, logger, metrics, trust, until }: ReloadParts,
): Promise<void> {
  trust.believeClients(clientAuthorities(pki, options));
  const reload = await startTlsReload({
    pki,
    files: options,
    clock: systemClock,
    logger,
    until,
    renew: (renewed, change) => {
      listener.renew(renewed, change);
      if (change.authorities) trust.believeClients([renewed.ca ?? []].flat().map(String));
    },
  });
  measureLife(metrics, { reload, featureGates: options.featureGates });
}
