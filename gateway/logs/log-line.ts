/** One line of the log, before it has a form. */
import type { LogFields } from '../../actors/request/logger.ts';

/** klog's letters: information, warning, error, and the last words of the process. */
export type Severity = 'I' | 'W' | 'E' | 'F';

export interface LogLine {
  readonly severity: Severity;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Where it was written: `cli/serve.ts:137`. */
  readonly site: string;
  /** The verbosity that shows it; 0: always. */
  readonly verbosity: number;
  readonly message: string;
  /** Under `err` stands what was thrown. */
  readonly fields: LogFields;
}

/** The line as text, with the newline at its end. */
export type LineFormat = (line: LogLine) => string;

/** What a program without call sites writes in their place, as klog does. */
export const UNKNOWN_SITE = '???:1';

/** `a: b: c`: what an error says, and behind it what its causes say, unless it says that itself. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const said = error.message === '' ? error.name : error.message;
  if (error.cause === undefined || error.cause === error) return said;
  const cause = errorText(error.cause);
  return said.includes(cause) ? said : `${said}: ${cause}`;
}
