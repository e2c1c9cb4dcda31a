/**
 * The load of the test of cuts: what each version did can be computed, so what must be readable
 * at any version can be, too.
 */
import type { ProposedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';

export const RESOURCES = ['coordination.k8s.io/leases', 'core/pods', 'core/secrets'];
const PATHS = 40;

/** The versions of the objects that exist, by resource and path. */
export type State = Map<string, number>;

/** The event that makes this version, in a cluster that is in this state; changes the state. */
export function nextEvent(state: State, version: number, writer: string): ProposedEvent {
  const resource = RESOURCES[version % RESOURCES.length] ?? '';
  const path = `ns/object-${String((version * 7_919) % PATHS)}`;
  const key = `${resource} ${path}`;
  const previous = state.get(key) ?? 0;
  const isDelete = previous > 0 && version % 7 === 0;
  if (isDelete) state.delete(key);
  else state.set(key, version);
  const modified = isDelete ? 'deleted' : 'modified';
  return {
    writer,
    sequence: version,
    type: previous === 0 ? 'added' : modified,
    resource,
    path,
    previousResourceVersion: resourceVersion(previous),
    requires: [],
    json: Buffer.from(`{"version":${String(version)}}`),
    time: version * 10,
    uid: '',
    user: 'load',
    verb: 'update',
    auditID: '',
    fieldManager: '',
  };
}

/** The state as of a version. */
export function stateAt(version: number): State {
  const state: State = new Map();
  for (let at = 1; at <= version; at += 1) nextEvent(state, at, '');
  return state;
}
