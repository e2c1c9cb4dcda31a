/** Ctrl-C and SIGTERM as a signal that commands listen to, so that they can end in good order. */
import { setMaxListeners } from 'node:events';

export interface Interruption {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** The same without a Ctrl-C. */
  stop(): void;
  /** Stops listening: from then on the process dies of them again. */
  end(): void;
}

/** The exit code: as a shell says it of a process that was interrupted. */
export const INTERRUPTED = 130;

/** A command was interrupted before it finished. Nothing half done is left. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('interrupted: nothing was changed');
  }
}

/** A second Ctrl-C is not handled, so it ends the process at once. */
export function interruption(): Interruption {
  const stop = new AbortController();
  // Every request listens.
  setMaxListeners(0, stop.signal);
  const end = (): void => {
    process.off('SIGINT', stopped);
    process.off('SIGTERM', stopped);
  };
  const stopped = (): void => {
    end();
    stop.abort();
  };
  process.on('SIGINT', stopped);
  process.on('SIGTERM', stopped);
  return { signal: stop.signal, stop: stopped, end };
}
