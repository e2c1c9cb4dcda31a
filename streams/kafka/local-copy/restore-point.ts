/** Where a server stands before it reads its first record from the topic, and what it can still do. */
import type { LogCuts } from '../../log-cuts.ts';
import type { ResourceVersion } from '../../resource-version.ts';
import type { RecordIdentity } from './local-copy-meta.ts';
import type { LocalRecordBatches } from './local-records.ts';

export interface RestorePoint {
  /** The last record in the local copy; undefined when that is empty. */
  readonly local: RecordIdentity | undefined;
  /** The first version that can be read from the topic. */
  readonly oldest: ResourceVersion;
  /** The last version in the topic. */
  readonly newest: ResourceVersion;
  /** See `LocalRecords.adopt`. */
  adopt(records: LocalRecordBatches, upTo: RecordIdentity, cuts: LogCuts): Promise<void>;
}
