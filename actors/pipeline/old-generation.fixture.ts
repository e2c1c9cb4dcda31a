/** For tests of what must not outlive its use: how much of it V8 moves to the old generation. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void; // Of V8.

/** In bytes, of work that is done while only the young generation is collected. */
export async function oldGenerationGrowth(work: () => unknown): Promise<number> {
  collect();
  const before = oldBytes();
  await work();
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return oldBytes() - before;
}

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return old?.space_used_size ?? 0;
}
