/** The life of a server from the moment its port opens: hooks, signals, and the way it stops. */
import type { Logger } from '../../../actors/request/logger.ts';
import type { HealthChecks } from '../../../actors/lifecycle/health-checks.ts';
import { HookError, type Hooks } from '../../../actors/lifecycle/hooks.ts';
import {
  drainWatches,
  type LifecycleSignals,
  stopOnSignals,
} from '../../../actors/lifecycle/lifecycle-signals.ts';
import {
  serverLifecycle,
  type ShutdownSteps,
} from '../../../actors/lifecycle/server-lifecycle.machine.ts';
import type { LateLiveHub } from '../../live/live-hub.ts';
import type { WatchSessions } from '../../watch/watch-sessions.ts';
import type { ListeningAddress } from '../control-plane/service-hooks.ts';
import type { Front } from '../front/front.ts';
import type { LifecycleSettings } from '../../flags/sections/lifecycle-settings.ts';
import type { ListeningSettings } from '../../flags/sections/listening-settings.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import type { ServerHost } from './server-host.ts';

const STEP_TIMEOUT_MS = 60_000;

/** What the flags say of the start and the end. */
export interface LifeOptions {
  readonly lifecycle: LifecycleSettings;
  readonly listening: ListeningSettings;
}

export interface LifeParts {
  readonly front: Front;
  readonly address: ListeningAddress;
  readonly signals: LifecycleSignals;
  readonly hooks: Hooks;
  readonly checks: HealthChecks;
  readonly logger: Logger;
  readonly host: Pick<ServerHost, 'signals' | 'exit' | 'port'>;
  readonly sessions: WatchSessions;
  readonly live: Pick<LateLiveHub, 'endAll'>;
  /** Aborted when watches are ended. */
  readonly stopping: AbortController;
  /** Ends what writes of itself, and lets go of the log. */
  readonly flush: () => Promise<void>;
}

/**
 * Opens the port, and from then on can be asked whether all is well, and to stop. Settles when
 * all hooks have run.
 *
 * @throws StartupError when the port cannot be had, or a hook failed.
 */
export async function beginLife(options: LifeOptions, parts: LifeParts): Promise<void> {
  const { front, address, signals, hooks, checks, logger, host } = parts;
  const { listener } = front;
  const { shutdownDelayMs, shutdownSendRetryAfter, shutdownWatchGraceMs } = options.lifecycle;
  const { securePort, bindAddress, permitPortSharing, advertisePort } = options.listening;
  const lifecycle = serverLifecycle({
    clock: systemClock,
    shutdownDelayMs,
    closesDoorsLast: shutdownSendRetryAfter,
    stepTimeoutMs: Math.max(STEP_TIMEOUT_MS, shutdownWatchGraceMs * 2),
    signals,
    onProblem: (step, error) => {
      logger.error({ step, err: error }, 'shutting down: a step failed');
    },
    steps: shutdownSteps(options.lifecycle, parts),
  });
  const { port } = host;
  const take = port === undefined ? undefined : listener.serve(port.server);
  if (port === undefined) {
    await listener.listen(securePort, bindAddress, permitPortSharing).catch((error: unknown) => {
      throw cannotListen(bindAddress, securePort, error);
    });
  }
  address.opened(advertisePort ?? listener.port);
  checks.add(lifecycle.shutdownCheck, { endpoints: ['readyz'] });
  stopOnSignals({
    signals: host.signals,
    stop: () => lifecycle.stop(),
    exit: (code) => {
      host.exit(code);
    },
  });
  lifecycle.started();
  try {
    await hooks.runAfterStart();
  } catch (error) {
    if (error instanceof HookError) throw new StartupError(error.message, { cause: error });
    throw error;
  }
  if (take !== undefined) port?.release(take);
}

/** What the operator is told of a port that cannot be had. */
export function cannotListen(address: string, port: number, error: unknown): StartupError {
  const where = `${address}:${String(port)}`;
  return new StartupError(`cannot listen on ${where}: ${systemProblem(error)}`, { cause: error });
}

function shutdownSteps(
  { shutdownWatchGraceMs }: LifecycleSettings,
  { front, hooks, sessions, live, stopping, flush }: LifeParts,
): ShutdownSteps {
  const { listener, group, watchGroup } = front;
  const watches = {
    clock: systemClock,
    graceMs: shutdownWatchGraceMs,
    group: watchGroup,
    end: (count: number) => {
      sessions.endSome(count);
    },
  };
  return {
    runHooks: () => hooks.runBeforeShutdown(),
    refuseRequests() {
      group.close();
      return Promise.resolve();
    },
    closeDoors() {
      listener.stopAccepting();
      return Promise.resolve();
    },
    async drainRequests() {
      await Promise.all([group.whenEmpty(), drainWatches(watches)]);
    },
    async endWatches() {
      stopping.abort();
      live.endAll();
      sessions.endAll();
      await listener.whenClosed();
    },
    flush,
  };
}
