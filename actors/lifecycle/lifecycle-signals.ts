/**
 * What happens once in the life of a server, under upstream's names. A signal that was given
 * stays given, so that a filter asks it with one look.
 *
 * In Kubernetes: lifecycleSignals, apiserver/pkg/server.
 */

/** Who only wants to know. */
export interface Signal {
  readonly name: string;
  readonly isGiven: boolean;
}

export class GivenOnce implements Signal {
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
