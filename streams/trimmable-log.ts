/**
 * A log, or a replica's copy of one, from whose old end records can be taken. Which ones, others
 * decide; here it is done, and remembered what was done.
 */
import type { DiskUsage } from './lmdb-usage.ts';
import type { EventReader } from './event-log.ts';
import type { LogCuts } from './log-cuts.ts';
import type { ResourceVersion } from './resource-version.ts';

/** One step of cutting a log, small enough to stand between other work. */
export interface TrimStep {
  /** As they are when the step is done. */
  readonly cuts: LogCuts;
  /** What is removed; not behind `cuts.settled`, and never the newest record. */
  readonly gone: readonly ResourceVersion[];
}

export interface TrimmableLog extends EventReader {
  /**
   * Removes records and remembers the cuts, both or neither, whenever the process ends.
   *
   * @throws {LogUnavailableError} nothing was done; a later call may succeed.
   */
  trim(step: TrimStep): Promise<void>;

  /** The size of the log's file, for metrics and `everwatch status`. */
  diskUsage(): DiskUsage;
}
