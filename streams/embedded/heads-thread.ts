/**
 * A thread that reads the records of a long log before a fold comes to them, looks whether they are whole, and passes on
 * their headers, a tenth of their bytes. See heads-ahead.ts.
 *
 * The surprise: it holds no read transaction, so a page may be written again while it is read, and what is sound there by its
 * checksum may be another record: a frame does not say its number. So it believes a page as another process does (see
 * {@link PageReads}); at the first record that is not found it ends, and the fold reads on by itself.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { HEADER_AT, valueStart } from '../event-codec.ts';
import { resourceVersion, type ResourceVersion } from '../resource-version.ts';
import { HeadBlocks, type HeadBlock } from './head-blocks.ts';
import { PageReads } from './page-reads.ts';

/** Which records of which log. */
export interface HeadsTask {
  /** The directory of the log. */
  readonly path: string;
  readonly pageSize: number;
  readonly from: ResourceVersion;
  readonly to: ResourceVersion;
  readonly memory: SharedArrayBuffer;
}

/** @returns how many of the records from `version` on are in the block now. */
function fill(block: HeadBlock, pages: PageReads, version: number, to: number): number {
  while (version + block.count <= to) {
    const next = resourceVersion(version + block.count);
    const frame = pages.view(next);
    if (frame === undefined || !block.add(frame, HEADER_AT, valueStart(frame, next))) break;
  }
  return block.count;
}

function passOn({ path, pageSize, from, to, memory }: HeadsTask): void {
  const blocks = new HeadBlocks(memory);
  const pages = new PageReads(path, pageSize, false);
  let version: number = from;
  for (let nth = 0; version <= to; nth += 1) {
    blocks.awaitRoom(nth);
    const count = fill(blocks.at(nth), pages, version, to);
    if (count === 0) break;
    parentPort?.postMessage(count);
    version += count;
  }
  pages.close();
}

passOn(workerData as HeadsTask);
