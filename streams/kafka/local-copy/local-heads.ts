/** What a fold reads of the local copy of a topic, see `EventReader.heads`: frames as they lie in memory or on disk. */
import type { EventHead, LoggedEvent } from '../../event.ts';
import type { EventHeads } from '../../event-log.ts';
import { HeadReader, type PathGuess } from '../../record-heads.ts';
import { resourceVersion, type ResourceVersion } from '../../resource-version.ts';

/** Where a fold finds records; undefined: there is none. */
export interface FoldedRecords {
  /** An event, or the frame of one. */
  inMemory(version: ResourceVersion): LoggedEvent | Buffer | undefined;
  /** A frame, which is valid until the next one is asked for. */
  onDisk(version: ResourceVersion): Buffer | undefined;
}

/** The heads of the records from `from` on, up to the first one that is not here. */
export function headsOf(
  records: FoldedRecords,
  from: ResourceVersion,
  guess: PathGuess,
): EventHeads {
  const reader = new HeadReader(guess);
  const headAt = (version: ResourceVersion): EventHead | undefined => {
    const record = records.inMemory(version);
    if (Buffer.isBuffer(record)) return reader.readSound(record, version);
    if (record !== undefined) return record;
    const frame = records.onDisk(version);
    return frame && reader.read(frame, version);
  };
  let version = from;
  return {
    next: () => {
      const head = headAt(version);
      if (head !== undefined) version = resourceVersion(version + 1);
      return head;
    },
  };
}
