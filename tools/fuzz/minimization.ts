/** Makes the input of a finding small, as long as it finds the same; `before` is told of each try. */
import { findingOf } from './finding.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const RUNS_MAX = 1_500;

export async function minimized(
  target: FuzzTarget,
  input: Uint8Array,
  key: string,
  before: (input: Uint8Array) => void,
): Promise<Uint8Array> {
  let best = input;
  // What takes seconds must not be run a thousand times.
  let runs = key === 'slow' ? 12 : RUNS_MAX;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.length && runs > 0; runs -= 1) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      before(shorter);
      const found = await findingOf(target, shorter);
      if (found?.key === key) best = shorter;
      else at += size;
    }
  }
  return best;
}
