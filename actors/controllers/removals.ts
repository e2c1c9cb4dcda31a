/**
 * Removals that the server makes of itself: changes in the log that no client asked for, so that no
 * admission plug-in, webhook, finalizer or grace period is asked either.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { Requirement, StoredObject } from '../../streams/event.ts';
import type { Change } from '../registry/commit/change.ts';
import type { Commit, Committer } from '../registry/commit/committer.ts';

export interface RemovalParts {
  readonly committer: Pick<Committer, 'commit'>;
  readonly clock: Clock;
}

const WRITE_TIMEOUT_MS = 30_000;

/**
 * Removes exactly this state of an object; `overtaken` where it was changed or removed meanwhile.
 *
 * @param requires what else has to hold when the fold reaches it.
 */
export function removeStored(
  { committer, clock }: RemovalParts,
  stored: StoredObject,
  requires: readonly Requirement[] = [],
): Promise<Commit> {
  const change = removalOf(stored, requires, clock);
  return new Promise((resolve) => {
    committer.commit(change, resolve);
  });
}

function removalOf(stored: StoredObject, requires: readonly Requirement[], clock: Clock): Change {
  const object = parsedObject(stored);
  const { labels = {}, uid = '' } = object.metadata;
  delete object.metadata.resourceVersion;
  return {
    type: 'deleted',
    resource: stored.resource,
    path: stored.path,
    previousResourceVersion: stored.resourceVersion,
    requires,
    json: Buffer.from(formatJson(object)),
    labels,
    uid,
    origin: {
      user: 'system:apiserver',
      verb: 'delete',
      auditID: '',
      fieldManager: 'everwatch',
      deadline: clock.now() + WRITE_TIMEOUT_MS,
    },
  };
}
