/** The load of the store's crash test: what happened at each version can be computed from it. */
import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';

/** A call of `record` has this many events, so a store always ends at a multiple of it. */
export const BATCH = 10;
export const RESOURCES = ['apps/deployments', 'core/configmaps', 'core/pods'];
const OBJECTS = 97;

export function committedAt(version: number): CommittedEvent {
  const resource = RESOURCES[version % RESOURCES.length] ?? '';
  const path = `default/object-${String((version * 7_919) % OBJECTS)}`;
  const at = resourceVersion(version);
  const object = { resource, path, resourceVersion: at, labels: undefined, json: Buffer.alloc(0) };
  const type = version % 5 === 0 ? 'deleted' : 'modified';
  return { resourceVersion: at, type, resource, path, object, previous: undefined };
}

/** What a store that has applied everything up to `applied` gives as current. */
export function currentAt(applied: number): ReadonlyMap<string, number> {
  const current = new Map<string, number>();
  for (let version = 1; version <= applied; version += 1) {
    const { resource, path, type } = committedAt(version);
    if (type === 'deleted') current.delete(`${resource}/${path}`);
    else current.set(`${resource}/${path}`, version);
  }
  return current;
}
