/** How many processes a server has. */
import { parseCount } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';
import { StartupError } from '../../process/startup-error.ts';

export interface WorkerSettings {
  /** 1: the server is one process, which owns its log. */
  readonly workers: number;
}

const WORKERS_MAX = 64;

/** The flags of {@link WorkerSettings}. */
export const WORKER_SETTINGS: SettingsOf<WorkerSettings> = {
  workers: {
    flag: 'workers',
    placeholder: 'COUNT',
    help: 'processes that serve one port and one embedded log, for machines with several cores; beside them runs one that owns the log. With more than one there are no forks, no resets and no encryption at rest',
    takes: 'text',
    default: '1',
    parse: parseWorkers,
  },
};

function parseWorkers(text: string): number {
  const count = parseCount(text);
  if (count >= 1 && count <= WORKERS_MAX) return count;
  throw new StartupError(`must be between 1 and ${String(WORKERS_MAX)}, not ${text}`);
}
