/** Priority and fairness of a server, put together: who waits, what can be seen of it, and its figures. */
import { FlowControl } from '../../../actors/flow-control/flow-control.ts';
import { measureFlowControl } from '../../metrics/flow-control-figures.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { flowControlRoute } from '../../routes/flow-control.ts';
import type { Route } from '../../routes/route.ts';
import type { OpenViews } from '../views/open-views.ts';
import type { FairnessSettings } from '../../flags/sections/fairness-settings.ts';
import type { RequestSettings } from '../../flags/sections/request-settings.ts';
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
  options: FairnessSettings & Pick<RequestSettings, 'requestTimeoutMs'>,
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
