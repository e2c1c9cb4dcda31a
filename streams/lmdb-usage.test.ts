import { expect, it } from 'vitest';
import { diskUsage } from './lmdb-usage.ts';

function pages(branch: number, leaf: number, overflow: number) {
  return {
    treeBranchPageCount: branch,
    treeLeafPageCount: leaf,
    overflowPages: overflow,
  };
}

function fileOf(lastPageNumber: number, free = pages(0, 1, 0)) {
  return { getStats: () => ({ pageSize: 100, lastPageNumber, ...pages(1, 10, 4), free }) };
}

it('counts as free what neither a tree nor the list of free pages needs', () => {
  // 50 pages; 2 begin the file, 15 are the main tree's, 6 the list's, 15 two other trees'.
  const others = [{ getStats: () => pages(1, 5, 2) }, { getStats: () => pages(0, 7, 0) }];

  expect(diskUsage(fileOf(49, pages(1, 2, 3)), others)).toEqual({
    bytes: 50 * 100,
    freeBytes: 12 * 100,
  });
});

it('never counts less than nothing', () => {
  expect(diskUsage(fileOf(10), [])).toEqual({ bytes: 11 * 100, freeBytes: 0 });
});
