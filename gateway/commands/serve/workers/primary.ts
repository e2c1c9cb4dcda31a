/**
 * The primary process of a server of several: it owns the log and the port, starts the workers, and starts
 * another where one ends. It decodes nothing that a client sent, so that what ends a worker does not end the log.
 * When the primary ends, however that is, its workers do: the next one opens the log with all that was acknowledged.
 */
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LogOwner } from '../../../../streams/workers/log-owner.ts';
import type { LoggingSettings } from '../../../flags/sections/logging-settings.ts';
import type { StorageSettings } from '../../../flags/sections/storage-settings.ts';
import type { WorkerSettings } from '../../../flags/sections/worker-settings.ts';
import { StartupError } from '../../../process/startup-error.ts';
import { systemClock, systemRandom } from '../../../process/system-clock.ts';
import { openProgramLog } from '../../../server/lifecycle/program-log.ts';
import {
  type FirstObjectsSections,
  firstObjectsFor,
  writeFirstObjects,
} from '../../../server/log/first-objects.ts';
import { openDirectory } from '../../../server/log/open-log.ts';
import { tellReady } from '../serve.ts';
import { WorkerGroup } from './worker-group.ts';

interface PrimarySections extends FirstObjectsSections {
  readonly log: Pick<StorageSettings, 'dataDir' | 'readOnly' | 'unsafeNoFsync'>;
  readonly logging: LoggingSettings;
  readonly lifecycle: WorkerSettings;
}

/** Settles when all workers are ready; ends the process when they have stopped. @throws StartupError */
export async function servePrimary(options: PrimarySections): Promise<void> {
  const { logger } = openProgramLog(options.logging);
  const directory = await openDirectory(options.log.dataDir, {
    isSynced: !options.log.unsafeNoFsync,
  });
  refuseWhatOneProcessKeeps(directory.path, directory.engine());
  const owner = new LogOwner(directory.logPath, { isSynced: directory.isSynced });
  await writeFirstObjects(owner, firstObjectsFor(options), {
    clock: systemClock,
    random: systemRandom,
  });
  const { descriptor } = owner.end;
  cluster.setupPrimary({ stdio: ['inherit', 'inherit', 'inherit', 'ipc', 'pipe', descriptor] });
  const { workers: count } = options.lifecycle;
  const group = new WorkerGroup({ count, owner, logger, clock: systemClock });
  void group.ended.then(async (code) => {
    await owner.close();
    await directory.release();
    process.exit(code);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      group.stop();
    });
  }
  await group.start();
  logger.info({ workers: count }, 'all workers are ready');
  await tellReady(process.env, logger);
}

function refuseWhatOneProcessKeeps(path: string, engine: 'embedded' | 'kafka' | undefined): void {
  if (engine === 'kafka') {
    throw new StartupError(`${path} belongs to a server whose log is in Kafka: it has no workers`);
  }
  if (existsSync(join(path, 'object-keys'))) {
    throw new StartupError(
      `${path} has objects that are encrypted, which only a server of one process reads: leave out --workers`,
    );
  }
}
