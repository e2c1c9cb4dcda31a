/** The points of the time index, in a table of the object store. */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { RecordedBatch } from './pending-records.ts';
import type { MappedFile } from '../../streams/mapped-file.ts';
import type { OpenStore } from './store-tables.ts';
import {
  isWorthKeeping,
  NO_TIME,
  versionAtTime,
  type TimePoint,
  type TimeSearch,
} from './time-index.ts';

/** What comes of some batches: written with them, and true when they are. */
export interface AddedTimes {
  put(store: OpenStore): void;
  adopt(): void;
}

const LATEST = 'time';

type StoreFile = Pick<MappedFile<OpenStore>, 'opened'>;

export class StoredTimes {
  readonly #file: StoreFile;
  /** The latest time of all records, also of those that no point was kept for. */
  #latest: number;
  #last: TimePoint;

  constructor(file: StoreFile) {
    this.#file = file;
    this.#latest = Number(file.opened.database.get(LATEST) ?? Number.NEGATIVE_INFINITY);
    this.#last = this.#pointBefore(Number.POSITIVE_INFINITY);
  }

  /** Of all records that are in the store. */
  get latest(): number {
    return this.#latest;
  }

  with(batches: readonly RecordedBatch[]): AddedTimes {
    const points: TimePoint[] = [];
    let last = this.#last;
    let latest = this.#latest;
    for (const { applied, time } of batches) {
      latest = Math.max(latest, time);
      const now = { time: latest, version: applied };
      if (!isWorthKeeping(now, last)) continue;
      points.push(now);
      last = now;
    }
    const put = ({ database, tables }: OpenStore): void => {
      for (const { time, version } of points) void tables.times.put(time, String(version));
      if (latest !== this.#latest) void database.put(LATEST, String(latest));
    };
    const adopt = (): void => {
      this.#last = last;
      this.#latest = latest;
    };
    return { put, adopt };
  }

  /** See `versionAtTime` in time-index.ts. */
  versionAt(
    timeMs: number,
    { log, cuts, applied }: Pick<TimeSearch, 'log' | 'cuts'> & { applied: ResourceVersion },
  ): ResourceVersion {
    const now = { time: this.#latest, version: applied };
    return versionAtTime(timeMs, { log, cuts, now, from: this.#pointBefore(timeMs) });
  }

  /** The last point that is not later. */
  #pointBefore(timeMs: number): TimePoint {
    const { times } = this.#file.opened.tables;
    for (const { key, value } of times.getRange({ start: timeMs, reverse: true, limit: 1 })) {
      return { time: key, version: resourceVersion(Number(value)) };
    }
    return NO_TIME;
  }
}
