/** The log that a data directory has, whichever engine wrote it, for those who only look at it. */
import type { DataDirectory } from '../../../streams/embedded/data-directory.ts';
import type { EventReader } from '../../../streams/event-log.ts';

export interface StoredLog extends EventReader {
  close(): Promise<void>;
}

export async function openStoredLog(directory: DataDirectory): Promise<StoredLog> {
  if (directory.engine() === 'kafka') {
    const { StoredCopy } = await import('../../../streams/kafka/local-copy/stored-copy.ts');
    return StoredCopy.open(directory.topicPath);
  }
  const { EmbeddedEventLog } = await import('../../../streams/embedded/embedded-event-log.ts');
  const { SealedEventLog } = await import('../../../streams/encryption/sealed-event-log.ts');
  const { WITHOUT_KEYS } = await import('../../../streams/encryption/log-keys.ts');
  // Who only looks at the disk sees of encrypted objects that there are some.
  return new SealedEventLog(new EmbeddedEventLog(directory.logPath), WITHOUT_KEYS);
}
