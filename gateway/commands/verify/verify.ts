/** `everwatch verify`: is the local store what the log says? For a data directory that no server has open. */
import { verifyStore } from '../../../projections/verification.ts';
import { LmdbObjectStore } from '../../../projections/store/object-store.ts';
import type { ObjectStore } from '../../../projections/store/object-history.ts';
import type { EventReader } from '../../../streams/event-log.ts';
import { openViews } from '../../server/views/open-views.ts';
import { openDirectory, openEmbeddedLog } from '../../server/log/open-log.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';

export interface VerifyOptions {
  readonly dataDir: string;
}

/** Prints what it found. @returns whether the store agrees with the log. */
export async function verify({ dataDir }: VerifyOptions): Promise<boolean> {
  const opened = await openStored(dataDir);
  try {
    const found = await verifyStore(opened.log, opened.store);
    const { events, effective, notApplied, objects, hash, differences } = found;
    const lines = [
      `events in the log   ${String(events)} (${String(effective)} took effect)`,
      `not yet applied     ${String(notApplied)}`,
      `objects             ${String(objects)}`,
      `state               sha256:${hash}`,
      differences.length === 0 ? 'the store agrees with the log' : 'the store does NOT agree:',
      ...differences,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    return differences.length === 0;
  } finally {
    await opened.close();
  }
}

interface Stored {
  readonly log: EventReader;
  readonly store: ObjectStore;
  close(): Promise<void>;
}

/** @throws StartupError */
async function openStored(dataDir: string): Promise<Stored> {
  const directory = await openDirectory(dataDir);
  if (directory.engine() !== 'kafka') {
    await directory.release();
    return openViews(await openEmbeddedLog(dataDir), systemClock);
  }
  const { StoredCopy } = await import('../../../streams/kafka/local-copy/stored-copy.ts');
  const log = await StoredCopy.open(directory.topicPath);
  const store = new LmdbObjectStore(directory.storePath, systemClock);
  const close = async (): Promise<void> => {
    await store.close();
    await log.close();
    await directory.release();
  };
  if (store.appliedVersion <= (await log.newest())) return { log, store, close };
  await close();
  throw new StartupError(
    `the copy of the topic in ${dataDir} lost its end in a crash: start the server once, which ` +
      'fetches it again, and stop it',
  );
}
