/**
 * The records of a log that another process writes, read from its file by position. Nothing of the file is locked or
 * mapped, and its writer does not know of it: a process that reads can be killed or stand still at any moment.
 *
 * The surprise: LMDB is made for just that, and cannot be asked. A process that opens the file with it, if only to read, may make the
 * writer forget a transaction (see LmdbRecords).
 */
import { CUT_KEYS, cutsOfValues } from '../embedded/cut-records.ts';
import type { StoredFrame } from '../embedded/lmdb-records.ts';
import { PageFile } from '../embedded/page-file.ts';
import { PageReads } from '../embedded/page-reads.ts';
import type { DiskUsage } from '../lmdb-usage.ts';
import type { LogCuts } from '../log-cuts.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';

const FIRST_POSITION = 1;

export class SharedRecords {
  readonly #pages: PageReads;
  #cuts: LogCuts;

  /**
   * @param path of the directory of the file, which its writer has made.
   * @throws {RangeError} the file cannot be read.
   */
  constructor(path: string) {
    this.#pages = new PageReads(path, pageSizeOf(path), false);
    this.#cuts = this.#readCuts();
  }

  /** The last version that is here; undefined when there are none. */
  last(): ResourceVersion | undefined {
    const last = this.#pages.lastKey();
    return last === undefined || last < FIRST_POSITION ? undefined : resourceVersion(last);
  }

  /** Whatever is read from now on is as it is in the file now. */
  renew(): void {
    this.#pages.end();
  }

  /** Reads again what was cut. */
  renewCuts(): void {
    this.renew();
    this.#cuts = this.#readCuts();
  }

  /** As {@link renewCuts} has read them. */
  get cuts(): LogCuts {
    return this.#cuts;
  }

  /**
   * The records at `from` and behind it that are here, with their frames, which may be parts of what many lie in. Lazy.
   *
   * @throws {DamagedRecordError} as all reads: the file is not as it was written.
   */
  *framesFrom(from: ResourceVersion): Generator<StoredFrame> {
    let version = from;
    for (;;) {
      const frame = this.#pages.share(version);
      if (frame !== undefined) {
        yield { version, frame };
        version = resourceVersion(version + 1);
        continue;
      }
      // There may be a gap.
      const next = this.#pages.keyFrom(version);
      if (next === undefined) return;
      version = resourceVersion(next);
    }
  }

  /** A copy, which stays as it is. */
  frame(version: ResourceVersion): Buffer | undefined {
    return this.#pages.read(version);
  }

  /** The same, valid until more is read. */
  sharedFrame(version: ResourceVersion): Buffer | undefined {
    return this.#pages.view(version);
  }

  diskUsage(): DiskUsage {
    return this.#pages.diskUsage() ?? { bytes: 0, freeBytes: 0 };
  }

  close(): void {
    this.#pages.close();
  }

  #readCuts(): LogCuts {
    return cutsOfValues(this.#pages.values(CUT_KEYS));
  }
}

function pageSizeOf(path: string): number {
  const file = new PageFile(path);
  try {
    const size = file.pageSize();
    if (size === undefined) throw new RangeError(`${path} has no log that can be read by position`);
    return size;
  } finally {
    file.close();
  }
}
