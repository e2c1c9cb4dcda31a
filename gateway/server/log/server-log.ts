/**
 * The first phase of a server: its log, what it says of itself, and what accompanies it to its end, as
 * health checks, hooks and signals of its life.
 */
import { setMaxListeners } from 'node:events';
import { type Faults, faultsTo } from '../../../actors/request/faults.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { type Externals, type ExternalsSections, systemExternals } from '../externals.ts';
import {
  type FrontProxySections,
  ownFrontProxy,
  withFrontProxy,
} from '../guards/own-front-proxy.ts';
import type { FrontProxyFiles } from '../../listener/tls/self-signed.ts';
import { openProgramLog, type ProgramLog } from '../lifecycle/program-log.ts';
import { processHost, type ServerHost } from '../lifecycle/server-host.ts';
import { embeddedEngine, type LogEngine, openLogEngine } from './log-engine.ts';
import type { LogOptions } from './open-kafka-log.ts';
import type { OpenLog } from './open-log.ts';
import { type FirstObjectsSections, firstObjectsFor, writeFirstObjects } from './first-objects.ts';
import { HealthChecks } from '../../../actors/lifecycle/health-checks.ts';
import { Hooks } from '../../../actors/lifecycle/hooks.ts';
import { LifecycleSignals } from '../../../actors/lifecycle/lifecycle-signals.ts';
import type { DebugParts } from '../../routes/debug.ts';
import type {
  FeatureSettings,
  LifecycleSettings,
} from '../../flags/sections/lifecycle-settings.ts';
import type { LoggingSettings } from '../../flags/sections/logging-settings.ts';
import { type SaidFlags, TAKEN_FLAGS, takenWarnings } from '../../flags/taken-flags.ts';
import { systemClock, systemRandom } from '../../process/system-clock.ts';

export interface ServerLog extends ProgramLog {
  /** What the engine can do beyond the contract of a log. */
  readonly engine: LogEngine;
  readonly faults: Faults;
  /** undefined: the flags say by what aggregated API servers know this one. */
  readonly frontProxy: FrontProxyFiles | undefined;
  readonly externals: Externals;
  readonly companions: Companions;
  /** Aborted when the server stops. */
  readonly stopping: AbortController;
  /** What it has of its process. */
  readonly host: ServerHost;
}

/** What a server may be given by its caller. */
export interface GivenToServer {
  /** A log that is open in this process already and has a writer of its own. */
  readonly log?: OpenLog;
  /** undefined: this process. */
  readonly host?: ServerHost;
}

/** What the flags say of the log, of what is written to a new one, and of what accompanies it. */
interface LogPhaseSections extends LogOptions, FirstObjectsSections, ExternalsSections {
  readonly listening: FrontProxySections['listening'];
  readonly authentication: FrontProxySections['authentication'];
  readonly log: LogOptions['log'];
  readonly logging: LoggingSettings;
  readonly features: FeatureSettings;
  readonly lifecycle: LifecycleSettings;
  readonly said: SaidFlags;
}

/**
 * Opens the log that the options name.
 *
 * @throws StartupError when it cannot be had.
 */
export async function openServerLog(
  options: LogPhaseSections,
  { log: given, host = processHost() }: GivenToServer = {},
): Promise<ServerLog> {
  const programLog = openProgramLog(options.logging, host);
  const { logger } = programLog;
  warnOfFlags(options, logger);
  const engine =
    given === undefined
      ? await openOwnLog(options, logger)
      : embeddedEngine(given, { options, logger });
  const frontProxy = await ownFrontProxy(options, systemClock.now()).catch(
    async (error: unknown) => {
      await engine.opened.close();
      throw error;
    },
  );
  const stopping = new AbortController();
  // Each file and each way out listens to it, and Node warns of many.
  setMaxListeners(0, stopping.signal);
  const failed = (error: unknown): void => {
    logger.error({ err: error }, 'files of the way to nodes changed and are not in force');
  };
  const following = { clock: systemClock, until: stopping.signal, failed };
  return {
    ...programLog,
    engine,
    faults: faultsTo(logger),
    frontProxy,
    externals: systemExternals(withFrontProxy(options, frontProxy), following),
    companions: companionsOf(options, { engine, ...programLog }),
    stopping,
    host,
  };
}

/** What an operator should know of the flags that were given. */
function warnOfFlags(
  { said, features: { featureGates } }: Pick<LogPhaseSections, 'said' | 'features'>,
  logger: Logger,
): void {
  for (const sentence of [...takenWarnings(said), ...featureGates.warnings()]) {
    logger.warn({}, sentence);
  }
  for (const { text, ...gate } of featureGates.outdated()) logger.info(gate, text);
}

/** With the objects that every control plane has, where the log was empty. */
async function openOwnLog(
  options: LogOptions & FirstObjectsSections,
  logger: Logger,
): Promise<LogEngine> {
  const engine = await openLogEngine(options, logger);
  // What is encrypted may have to wait for its keys, and says so itself.
  if (engine.shredder !== undefined || engine.opened.hasOtherWriters) return engine;
  try {
    const world = { clock: systemClock, random: systemRandom };
    await writeFirstObjects(engine.opened.log, firstObjectsFor(options), world);
  } catch (error) {
    await engine.opened.close();
    throw error;
  }
  return engine;
}

interface Companions {
  readonly signals: LifecycleSignals;
  readonly checks: HealthChecks;
  readonly hooks: Hooks;
  readonly debug: DebugParts;
}

function companionsOf(
  { said, features, lifecycle }: Pick<LogPhaseSections, 'said' | 'features' | 'lifecycle'>,
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
    flags: said.texts,
    withoutEffect: TAKEN_FLAGS,
    featureGates: features.featureGates,
    profiling: lifecycle.profiling,
    setVerbosity: (verbosity) => {
      logger.setVerbosity(verbosity);
    },
  };
  return {
    signals,
    checks,
    hooks: new Hooks({ checks, livezGraceMs: lifecycle.livezGraceMs }),
    debug,
  };
}
