/**
 * What happens once in the life of a server, under upstream's names: a signal that was given stays
 * given, so that a filter asks it with one look. And how its end begins: SIGTERM and SIGINT, the first
 * of which asks the server to stop and the second ends the process at once; open watches end bit by
 * bit, so that their clients do not all come to the next server at one moment.
 *
 * In Kubernetes: lifecycleSignals, SetupSignalHandler and RunWithContext, apiserver/pkg/server.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { WaitGroup } from '../request/under-way.ts';

/** For readers that only want to know. */
export interface Signal {
  /** Upstream's, as `AfterShutdownDelayDuration`; it is logged when the signal is given. */
  readonly name: string;
  /** Once true, it stays true. */
  readonly isGiven: boolean;
}

class GivenOnce implements Signal {
  readonly name: string;
  isGiven = false;

  constructor(name: string) {
    this.name = name;
  }
}

const NAMES = [
  /** All paths are known: what is not found does not exist. */
  'MuxAndDiscoveryComplete',
  /** `/readyz` passed for the first time. */
  'HasBeenReady',
  'ShutdownInitiated',
  'AfterShutdownDelayDuration',
  'PreShutdownHooksStopped',
  /** From here on new requests are turned away. */
  'NotAcceptingNewRequest',
  'InFlightRequestsDrained',
  'HTTPServerStoppedListening',
] as const;

export type SignalName = (typeof NAMES)[number];

export class LifecycleSignals {
  readonly #signals = new Map<SignalName, GivenOnce>(
    NAMES.map((name) => [name, new GivenOnce(name)]),
  );
  readonly #given: (name: SignalName) => void;

  /** @param given told of each signal, the first time that it is given. */
  constructor(given: (name: SignalName) => void = () => undefined) {
    this.#given = given;
  }

  of(name: SignalName): Signal {
    return this.#signal(name);
  }

  give(name: SignalName): void {
    const signal = this.#signal(name);
    if (signal.isGiven) return;
    signal.isGiven = true;
    this.#given(name);
  }

  #signal(name: SignalName): GivenOnce {
    const signal = this.#signals.get(name);
    if (signal === undefined) throw new Error(`there is no signal ${name}`);
    return signal;
  }
}

/** By which a server is asked to stop. */
export type StopSignal = 'SIGTERM' | 'SIGINT';

interface StopSignalsDependencies {
  /** Node's `process` is one. */
  readonly signals: { on(signal: StopSignal, listener: () => void): unknown };
  /** Settles when everything has stopped. */
  readonly stop: () => Promise<void>;
  readonly exit: (code: number) => void;
}

/** Exits with 0 after a clean stop, with 1 after a failed one and after a second signal. */
export function stopOnSignals({ signals, stop, exit }: StopSignalsDependencies): void {
  let isStopping = false;
  function onSignal(): void {
    if (isStopping) {
      exit(1);
      return;
    }
    isStopping = true;
    stop().then(
      () => {
        exit(0);
      },
      () => {
        exit(1);
      },
    );
  }
  signals.on('SIGTERM', onSignal);
  signals.on('SIGINT', onSignal);
}

interface WatchDrainingParts {
  readonly clock: Clock;
  /** In how much time all should have ended; 0: they are not waited for. */
  readonly graceMs: number;
  readonly group: WaitGroup;
  /** Ends that many of those that are open. */
  readonly end: (count: number) => void;
}

const SLOWEST_PER_SECOND = 200;
const STEP_MS = 50;

/** Settles when all have ended, or the time is over. */
export async function drainWatches({
  clock,
  graceMs,
  group,
  end,
}: WatchDrainingParts): Promise<void> {
  if (graceMs <= 0) return;
  group.close();
  const perSecond = Math.max(SLOWEST_PER_SECOND, (group.size * 1_000) / graceMs);
  const perStep = Math.ceil((perSecond * STEP_MS) / 1_000);
  const until = clock.now() + graceMs;
  while (group.size > 0 && clock.now() < until) {
    end(perStep);
    await new Promise<void>((resolve) => {
      clock.after(STEP_MS, resolve);
    });
  }
}
