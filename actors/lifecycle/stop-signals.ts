/**
 * SIGTERM and SIGINT: the first asks the server to stop, the second ends the process at once.
 *
 * In Kubernetes: SetupSignalHandler, apiserver/pkg/server/signal.go.
 */

export type StopSignal = 'SIGTERM' | 'SIGINT';

export interface StopSignalsDependencies {
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
