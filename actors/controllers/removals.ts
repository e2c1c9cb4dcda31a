/**
 * Removals that the server makes of itself: changes in the log that no client asked for, so that no
 * admission plug-in, webhook, finalizer or grace period is asked either.
 */
import { formatJsonInParts } from '../../api/json/json-parts.ts';
import { formatJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { Requirement, StoredObject } from '../../streams/event.ts';
import { type Change, replacing } from '../registry/commit/change.ts';
import type { Commit, Committer } from '../registry/commit/committer.ts';
import { readStored } from '../registry/stages/stored-object.ts';
import { inSlices, LARGE_BYTES } from '../request/large-work.ts';

/** What a removal is made with. */
export interface RemovalParts {
  /** Takes the change. */
  readonly committer: Pick<Committer, 'commit'>;
  readonly clock: Clock;
}

const WRITE_TIMEOUT_MS = 30_000;

/**
 * Removes exactly this state of an object; `overtaken` where it was changed or removed meanwhile.
 *
 * @param requires what else has to hold when the fold reaches it.
 */
export async function removeStored(
  { committer, clock }: RemovalParts,
  stored: StoredObject,
  requires: readonly Requirement[] = [],
): Promise<Commit> {
  const object = await readStored(stored);
  delete object.metadata.resourceVersion;
  const isLarge = stored.json.length >= LARGE_BYTES;
  const json = isLarge
    ? await inSlices(formatJsonInParts(object))
    : Buffer.from(formatJson(object));
  const { labels = {}, uid = '' } = object.metadata;
  const change: Change = { ...removalOf(stored, clock), requires, json, labels, uid };
  return new Promise((resolve) => {
    committer.commit(change, resolve);
  });
}

function removalOf(
  stored: StoredObject,
  clock: Clock,
): Omit<Change, 'requires' | 'json' | 'labels' | 'uid'> {
  return {
    type: 'deleted',
    origin: {
      user: 'system:apiserver',
      verb: 'delete',
      auditID: '',
      fieldManager: 'everwatch',
      deadline: clock.now() + WRITE_TIMEOUT_MS,
    },
    ...replacing(stored),
  };
}
