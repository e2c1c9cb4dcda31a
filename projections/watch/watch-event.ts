/** What a watcher is shown of a change, which depends on what its selection lets it see. */
import type { CommittedEvent, StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { isUnfiltered, selectsContent, selectsPath, type Selection } from '../objects/selection.ts';
import { asOfVersion } from '../objects/stored-object.ts';

export interface WatchEvent {
  /** As the client is told it. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** From where a client goes on that has seen the event. */
  readonly resourceVersion: ResourceVersion;
  /** As of the event; for `DELETED` its last state. */
  readonly object: StoredObject;
  /** What there was before, where the selection lets through more than is wanted. */
  readonly previous?: StoredObject | undefined;
}

const PLAIN = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const;

/**
 * The change as a watcher with this selection sees it; undefined when it happens out of sight.
 * What comes into sight is ADDED and what leaves it DELETED, as far as this watcher can tell.
 *
 * In Kubernetes: convertToWatchEvent, apiserver/pkg/storage/cacher/cache_watcher.go.
 */
export function changeSeen(selection: Selection, event: CommittedEvent): WatchEvent | undefined {
  const seen = plainChangeSeen(selection, event);
  if (selection.isWide !== true || seen === undefined || seen.type === 'ADDED') return seen;
  return { ...seen, previous: event.previous };
}

function plainChangeSeen(selection: Selection, event: CommittedEvent): WatchEvent | undefined {
  const { resourceVersion, object, path } = event;
  if (!selectsPath(selection, path)) return undefined;
  if (isUnfiltered(selection)) return { type: PLAIN[event.type], resourceVersion, object };

  // Of the far past it is read only here.
  const { previous } = event;
  const before = previous !== undefined && selectsContent(selection, previous);
  if (event.type === 'deleted') {
    return before ? { type: 'DELETED', resourceVersion, object } : undefined;
  }
  if (selectsContent(selection, object)) {
    return { type: before ? 'MODIFIED' : 'ADDED', resourceVersion, object };
  }
  if (!before) return undefined;
  return { type: 'DELETED', resourceVersion, object: asOfVersion(previous, resourceVersion) };
}

/**
 * The change as a watcher sees it that wants no more than what `isWanted` lets through, of one that a wider selection
 * has let through.
 */
export function changeWanted(
  event: WatchEvent,
  isWanted: (object: StoredObject) => boolean,
): WatchEvent | undefined {
  const { previous, ...seen } = event;
  const { type, resourceVersion, object } = seen;
  const before = previous !== undefined && isWanted(previous);
  if (type === 'ADDED') return isWanted(object) ? seen : undefined;
  if (type === 'DELETED') return before ? seen : undefined;
  if (isWanted(object)) return { ...seen, type: before ? 'MODIFIED' : 'ADDED' };
  if (!before) return undefined;
  return { type: 'DELETED', resourceVersion, object: asOfVersion(previous, resourceVersion) };
}
