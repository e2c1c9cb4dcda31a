/** What is replayed, by one word: a data directory, an archive, a topic or a running server. */
import { statSync } from 'node:fs';
import { looksLikeArchive } from '../../../streams/archive/archive-reader.ts';
import type { LogSource } from '../../../projections/past/log-source.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { openSource, type SourceParts } from '../log-source/open-source.ts';
import { ArchiveLogSource } from '../../../projections/past/archive-log-source.ts';
import { checkedArchive } from '../import/import.ts';
import type { ImportProgress } from '../import/import-log.ts';

export interface ReplayedLog {
  /** A data directory, an archive, a kubeconfig or a kafka:// URL. */
  readonly log: string;
  /** With a topic: the configuration file of a server, which says how its brokers are reached. */
  readonly config: string | undefined;
}

/** @throws StartupError it is none of these, or cannot be had. */
export async function openReplaySource(
  { log, config }: ReplayedLog,
  parts: SourceParts,
  progress: ImportProgress,
): Promise<LogSource> {
  if (log.startsWith('kafka://')) {
    return (await openSource({ kind: 'kafka', url: log, config }, parts)).source;
  }
  if (isDirectory(log)) return (await openSource({ kind: 'directory', path: log }, parts)).source;
  if (await looksLikeArchive(log)) {
    return new ArchiveLogSource(log, await checkedArchive(log, progress));
  }
  const server = { kind: 'server', kubeconfig: log, context: undefined, fork: '' } as const;
  return (await openSource(server, parts)).source;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new StartupError(
      `${path}: ${systemProblem(error)}; give a data directory, an archive, a kubeconfig or a ` +
        'kafka:// URL',
      { cause: error },
    );
  }
}
