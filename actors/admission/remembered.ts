/**
 * What is worked out of a stored object, kept as long as the object is what it is: plug-ins that
 * look at the same service account or namespace for every request read it once.
 */
import {
  type StoredKind,
  type StoredKindPath,
  storedKind,
} from '../../projections/objects/stored-kinds.ts';
import type { StoredObject } from '../../streams/event.ts';

/** @param path of the kind, by the version that is stored: `v1/serviceaccounts`. */
export function remembered<Path extends StoredKindPath, Result>(
  path: Path,
  compile: (object: StoredKind<Path>) => Result,
): (stored: StoredObject) => Result {
  const known = new WeakMap<StoredObject, { readonly result: Result }>();
  const read = storedKind(path);
  return (stored) => {
    let found = known.get(stored);
    if (found === undefined) {
      found = { result: compile(read(stored)) };
      known.set(stored, found);
    }
    return found.result;
  };
}
