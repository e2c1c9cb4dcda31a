/** Why an append or a cut was refused: as its owner tells it, and as the worker throws it. */
import { AppendOutcomeUnknownError, LogUnavailableError } from '../event-log.ts';
import { type Message, MESSAGE, MessageWriter } from './messages.ts';

interface Refusal {
  readonly why: string;
  readonly isUnknown: boolean;
  readonly isPassing: boolean;
  readonly needsRestart: boolean;
}

/** What tells the worker of the error. @param number of what was refused. */
export function refusal(number: number, error: unknown): MessageWriter {
  const why = error instanceof Error ? error.message : String(error);
  const { isPassing = false, needsRestart = false } =
    error instanceof LogUnavailableError ? error : {};
  const isUnknown = error instanceof AppendOutcomeUnknownError;
  const flags: Refusal = { why, isUnknown, isPassing, needsRestart };
  return new MessageWriter(MESSAGE.refused).number(number).json(flags);
}

/** The error. @param message of {@link refusal}, read up to behind the number. */
export function errorOf(message: Message): Error {
  const { why, isUnknown, isPassing, needsRestart } = message.json() as Refusal; // As the owner wrote it.
  return isUnknown
    ? new AppendOutcomeUnknownError(why)
    : new LogUnavailableError(why, { isPassing, needsRestart });
}
