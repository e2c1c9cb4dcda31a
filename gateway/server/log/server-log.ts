/** The first phase of a server: its log, what it says of itself, and what accompanies it to its end. */
import { faultsTo, type Faults } from '../../../actors/request/faults.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { systemExternals, type Externals } from '../externals.ts';
import { companionsOf, type Companions } from '../lifecycle/life-parts.ts';
import { openProgramLog, type ProgramLog } from '../lifecycle/program-log.ts';
import { embeddedEngine, openLogEngine, type LogEngine } from './log-engine.ts';
import type { OpenLog } from './open-log.ts';

export interface ServerLog extends ProgramLog {
  readonly engine: LogEngine;
  readonly faults: Faults;
  readonly externals: Externals;
  readonly companions: Companions;
  /** Aborted when the server stops. */
  readonly stopping: AbortController;
}

/**
 * Opens the log that the options name.
 *
 * @param given a log that is open in this process already and has a writer of its own.
 * @throws StartupError when it cannot be had.
 */
export async function openServerLog(options: ServeOptions, given?: OpenLog): Promise<ServerLog> {
  const programLog = openProgramLog(options.logging);
  const { logger } = programLog;
  const engine =
    given === undefined
      ? await openLogEngine(options, logger)
      : embeddedEngine(given, { options, logger });
  return {
    ...programLog,
    engine,
    faults: faultsTo(logger),
    externals: systemExternals(options.egress),
    companions: companionsOf(options, { engine, ...programLog }),
    stopping: new AbortController(),
  };
}
