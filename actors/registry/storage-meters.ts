/** What is measured of reads and writes where they meet the views and the log. */
import type { ListPage } from '../../projections/list/list-page.ts';
import type { RecordType } from '../../streams/event.ts';

/** @see ReadContext. Resources are named as they lie in the log: `apps/deployments`. */
export interface ReadMeters {
  /** Told of each page of a list, with how many objects were looked at for it. */
  listed(resource: string, page: ListPage): void;
  /** A list of what is there now found out, or could not, how far that is. */
  readNow(resource: string, isKnown: boolean): void;
  /** How long a read waited until the views had come as far as it asked for. */
  waited(resource: string, ms: number): void;
}

/** Told once for each event that is appended, by its resource. */
export interface WriteMeters {
  /** An event was sent to the log, and is known to be there, or is not. */
  written(resource: string, type: RecordType, outcome: WriteOutcome): void;
}

/** How long the append took, in milliseconds, and whether it failed. */
export interface WriteOutcome {
  /** Milliseconds from the append to its acknowledgement. */
  readonly ms: number;
  /** Also where it is not known whether it was written. */
  readonly isFailed: boolean;
}
