/** Test support: what this process has of a file of LMDB in its memory. Linux only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many bytes of the file in the folder are mapped and resident. */
export function mappedBytes(folder: string): number {
  let kib = 0;
  let isOfFile = false;
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    if (/^[0-9a-f]+-/.test(line)) isOfFile = line.includes(join(folder, 'data.mdb'));
    else if (isOfFile) kib += Number(/^Rss:\s+(\d+)/.exec(line)?.[1] ?? 0);
  }
  return kib * 1024;
}
