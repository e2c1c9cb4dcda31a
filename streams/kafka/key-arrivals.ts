/**
 * What records of the topic of keys come to. An id is never used again, so a key that comes behind its
 * own end was sealed anew by a server that did not know of it yet: it has to be destroyed once more.
 */
import type { TopicRecord } from './record-batch.ts';

export interface KeyArrivals {
  /** Whose keys are destroyed. */
  readonly gone: readonly string[];
  /** Whose keys are to be destroyed once more. */
  readonly back: readonly string[];
  /** The newest of each key that is there. */
  readonly live: readonly TopicRecord[];
}

/** @param destroyed the ids that were destroyed before. */
export function keyArrivals(
  records: readonly TopicRecord[],
  destroyed: ReadonlySet<string>,
): KeyArrivals {
  const gone = new Set<string>();
  const back = new Set<string>();
  const live = new Map<string, TopicRecord>();
  for (const record of records) {
    const { key, value } = record;
    if (value.length === 0) {
      gone.add(key);
      live.delete(key);
      back.delete(key);
    } else if (gone.has(key) || destroyed.has(key)) back.add(key);
    else live.set(key, record);
  }
  return { gone: [...gone], back: [...back], live: [...live.values()] };
}
