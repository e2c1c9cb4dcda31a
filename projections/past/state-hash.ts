/** A state in one text: equal states have equal hashes, wherever they come from. */
import { createHash } from 'node:crypto';
import type { LoggedEvent } from '../../streams/event.ts';

export interface HashedState {
  /** SHA-256 over every object that exists: resource, path, version and bytes. */
  readonly hash: string;
  readonly objects: number;
}

/** The same hash as that of `everwatch verify`. @param state in order of keys. */
export async function hashOfState(
  state: AsyncIterable<readonly LoggedEvent[]>,
): Promise<HashedState> {
  const hash = createHash('sha256');
  let objects = 0;
  for await (const slice of state) {
    for (const { resource, path, resourceVersion: version, json } of slice) {
      objects += 1;
      hash.update(`${resource}\0${path}\0${String(version)}\0`).update(json);
    }
  }
  return { hash: hash.digest('hex'), objects };
}
