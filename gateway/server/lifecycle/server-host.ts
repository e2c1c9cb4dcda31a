/**
 * What a server has of the process that it runs in. Usually that is all of it: signals stop the server,
 * its end is the end of the process, and its log is what the process says. Where several servers share a
 * process, as in `EVERWATCH_ENVTEST=shared`, each has a host of its own.
 */
import type { StopSignal } from '../../../actors/lifecycle/lifecycle-signals.ts';
import type { HeldPort } from '../../listener/held-port.ts';
import { descriptorWriter } from '../../logs/line-output.ts';

/** Writes a text, and says what kept it from that; undefined: it was written. */
export type WriteLines = (text: string) => string | undefined;

/** Gives figures in Prometheus' text format. */
export type ReadFigures = () => Promise<string>;

export interface ServerHost {
  /** The first signal asks the server to stop, the second ends it at once. */
  readonly signals: { on(signal: StopSignal, listener: () => void): unknown };
  /** Ends the server, however far it has stopped. */
  exit(code: number): void;
  /** The port, where it was opened before the server was made; undefined: the server opens it. */
  readonly port?: HeldPort | undefined;
  /** Calls it when the server ends. */
  whenEnding(last: () => void): void;
  /**
   * Where `/metrics` shows the figures of other processes as well: takes the function that reads this
   * server's, and gives one that reads all. undefined: it shows this server's.
   */
  readonly gatherFigures?: (own: ReadFigures) => ReadFigures;
  /**
   * While it says true, only errors are written: another process of this server has said the rest when it started.
   * undefined: there is none. Does not count where more is asked for with `-v`.
   */
  readonly startIsTold?: () => boolean;
  /** Standard output and standard error. */
  readonly write: { readonly info: WriteLines; readonly error: WriteLines };
}

/** This process, for a server that has it for itself. */
export function processHost(): ServerHost {
  return {
    signals: process,
    exit: (code) => process.exit(code),
    whenEnding: (last) => void process.once('exit', last),
    write: { info: descriptorWriter(1), error: descriptorWriter(2) },
  };
}
