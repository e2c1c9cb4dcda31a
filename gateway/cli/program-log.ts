/** The log of the program itself, lines of JSON on stderr, and whether they are written. */
import { pino, type Logger } from 'pino';
import type { HealthCheck } from '../../actors/lifecycle/health-checks.ts';

export interface ProgramLog {
  readonly logger: Logger;
  /** `log`: the latest line could be written. */
  readonly check: HealthCheck;
}

/**
 * @param fd where lines go; each is written before anything else is done. A line that cannot be
 *   written fails the check and ends nothing. Once the reader of a pipe has gone, nothing more is
 *   written and the check fails for good.
 */
export function openProgramLog(level: string, fd: number): ProgramLog {
  const destination = pino.destination({ fd, sync: true });
  let failure: string | undefined;
  destination.on('error', (error: Error) => {
    failure = error.message;
  });
  destination.on('write', () => {
    failure = undefined;
  });
  return {
    logger: pino({ level }, destination),
    check: { name: 'log', problem: () => failure },
  };
}
