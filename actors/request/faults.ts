/**
 * What happens when an actor throws: the client gets a 500 without our secrets, the log gets
 * the whole story, the process lives.
 *
 * Every filter hands its faults here, because a throw is caught where the actor
 * is (actor.ts) and never travels back to the filters before it.
 */
import { internalError } from '../../api/meta/status.ts';
import type { Logger } from './logger.ts';
import { type Answer, statusAnswer } from './answer.ts';
import type { ReceivedRequest } from './request.ts';

export interface Faults {
  /** How many there were since the start. */
  readonly count: number;
  /** Counts, logs and answers 500. Never throws itself. */
  answer(request: ReceivedRequest, error: unknown): void;
  /** Counts and logs what happened outside of any request. Never throws itself. */
  record(what: string, error: unknown): void;
}

const PANIC_TEXT = 'This request caused apiserver to panic. Look in the logs for details.';

/** Writes each fault to the log once, with its stack and the request's Audit-ID. */
export function faultsTo(logger: Logger): Faults {
  return new LoggedFaults(logger);
}

class LoggedFaults implements Faults {
  count = 0;
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  answer(request: ReceivedRequest, error: unknown): void {
    const { method, path, auditID } = request;
    const stack = stackOf(error);
    this.#log({ err: error, method, path, auditID, stack }, 'a request caused a fault');
    try {
      request.record?.panicked(error);
      return request.reply(panicAnswer());
    } catch (failure) {
      // The connection itself is broken: this client gets nothing, all others still do.
      return this.record('answering after a fault', failure);
    }
  }

  record(what: string, error: unknown): void {
    this.#log({ err: error, what, stack: stackOf(error) }, 'a fault outside of any request');
  }

  #log(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.count += 1;
    try {
      this.#logger.error(fields, message);
    } catch {
      // A log that throws must not cost the client its answer, and there is nowhere to say so.
    }
  }
}

/** Where it was thrown, and where its causes were; undefined: it knows no place. */
export function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = error.cause === error ? undefined : stackOf(error.cause);
  const own = error.stack ?? String(error);
  return cause === undefined ? own : `${own}\ncaused by: ${cause}`;
}

function panicAnswer(): Answer {
  return statusAnswer(internalError(PANIC_TEXT));
}
