/** Priority and fairness of a server, put together: who waits, what can be seen of it, and its figures. */
import { ensureFlowDefaults } from '../../../actors/controllers/flow-control/flow-defaults.ts';
import {
  startFlowSchemaStatus,
  type FlowSchemaStatus,
} from '../../../actors/controllers/flow-control/flow-schema-status.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import { FlowControl } from '../../../actors/flow-control/flow-control.ts';
import { measureFlowControl } from '../../metrics/flow-control-figures.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { flowControlRoute } from '../../routes/flow-control.ts';
import type { Route } from '../../routes/route.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';

export interface Fairness {
  /** undefined: requests are only counted. */
  readonly flowControl: FlowControl | undefined;
  /** What can be seen of it below `/debug`. */
  readonly route: Route;
}

/** @throws StartupError when nobody could be served at all. */
export function fairnessOf(
  options: ServeOptions,
  { opened, metrics }: { readonly opened: OpenViews; readonly metrics: Metrics },
): Fairness {
  if (!options.enablePriorityAndFairness) return { flowControl: undefined, route: nowhere };
  const serverSeats = options.maxRequestsInFlight + options.maxMutatingRequestsInFlight;
  if (serverSeats === 0) {
    throw new StartupError(
      '--max-requests-inflight and --max-mutating-requests-inflight must not both be 0 with --enable-priority-and-fairness',
    );
  }
  const { followed, objects } = opened;
  const { requestTimeoutMs } = options;
  const clock = systemClock;
  const thread = { now: () => performance.now(), nextTurn: setImmediate };
  const parts = { followed, objects, clock, serverSeats, requestTimeoutMs, thread };
  const flowControl = new FlowControl(parts);
  measureFlowControl(metrics, flowControl);
  return { flowControl, route: flowControlRoute(flowControl) };
}

function nowhere(): undefined {
  return undefined;
}

const ENSURE_EVERY_MS = 60_000;

/** What keeps the objects right that fairness goes by. */
export interface FlowKeeping {
  /** From now on seats are shared out anew from time to time. */
  startSharing(): void;
  /** Makes the default objects, and puts them right from then on; flow schemas say whether they hang loose. */
  ensureDefaults(): Promise<void>;
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
}

export interface FlowKeepingParts {
  readonly options: Pick<ServeOptions, 'readOnly'>;
  readonly faults: Faults;
  readonly flowControl: FlowControl | undefined;
}

/** Where nothing may be written, seats are shared out anew at once; else as a hook says. */
export function startFlowKeeping(
  main: ControlPlane,
  { options, faults, flowControl }: FlowKeepingParts,
): FlowKeeping {
  const { objects } = main.opened;
  const { loopback } = main;
  let status: FlowSchemaStatus | undefined;
  let cancel = (): void => undefined;
  let ensuring = Promise.resolve();
  async function ensureDefaults(): Promise<void> {
    await ensureFlowDefaults({ loopback, objects });
    cancel = systemClock.after(ENSURE_EVERY_MS, () => {
      ensuring = ensureDefaults().catch((error: unknown) => {
        faults.record('making flow schemas and priority levels', error);
      });
    });
  }
  if (options.readOnly) flowControl?.start();
  return {
    startSharing() {
      flowControl?.start();
    },
    async ensureDefaults() {
      await ensureDefaults();
      if (flowControl === undefined) return;
      const listen = main.listen.bind(main);
      const parts = { loopback, objects, listen, clock: systemClock, faults };
      status = await startFlowSchemaStatus(parts);
    },
    async stop() {
      flowControl?.stop();
      cancel();
      await ensuring;
      cancel();
      await status?.stop();
    },
  };
}
