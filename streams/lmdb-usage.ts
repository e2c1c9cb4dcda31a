/** How much of the disk a file of LMDB occupies, and how much of that is free inside. */
export interface DiskUsage {
  /** The file. It never shrinks, but what is free in it is used again. */
  readonly bytes: number;
  /** Of pages that hold nothing any more. */
  readonly freeBytes: number;
}

/** The part of a database that is asked; its declaration says nothing of what comes back. */
export interface Countable {
  getStats(): object;
}

interface Stats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly free: Pages;
}

type Pages = Pick<Stats, 'treeBranchPageCount' | 'treeLeafPageCount' | 'overflowPages'>;

/** Two pages begin the file and say what is in it. */
const META_PAGES = 2;

/** @param root the file's main database. @param named all others in it. */
export function diskUsage(root: Countable, named: readonly Countable[]): DiskUsage {
  const stats = root.getStats() as Stats;
  let used = META_PAGES + pagesOf(stats) + pagesOf(stats.free);
  for (const database of named) used += pagesOf(database.getStats() as Stats);
  const pages = stats.lastPageNumber + 1;
  return { bytes: pages * stats.pageSize, freeBytes: Math.max(0, pages - used) * stats.pageSize };
}

function pagesOf(pages: Pages): number {
  return pages.treeBranchPageCount + pages.treeLeafPageCount + pages.overflowPages;
}
