/** What accompanies a server through its life: signals, checks, hooks, and a look into it. */
import { HealthChecks } from '../../../actors/lifecycle/health-checks.ts';
import { Hooks } from '../../../actors/lifecycle/hooks.ts';
import { LifecycleSignals } from '../../../actors/lifecycle/lifecycle-signals.ts';
import type { DebugParts } from '../../routes/debug.ts';
import { flagTextsOf } from '../../flags/flag-texts.ts';
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
    profiling: options.lifecycle.profiling,
    setVerbosity: (verbosity) => {
      logger.setVerbosity(verbosity);
    },
  };
  return {
    signals,
    checks,
    hooks: new Hooks({ checks, livezGraceMs: options.lifecycle.livezGraceMs }),
    debug,
  };
}
