/**
 * What is worked out of a stored object, kept as long as the object is what it is: who looks at the
 * same service account or namespace for every request reads it once.
 */
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../streams/event.ts';

export function remembered<Result>(
  compile: (object: KubeObject) => Result,
): (stored: StoredObject) => Result {
  const known = new WeakMap<StoredObject, { readonly result: Result }>();
  return (stored) => {
    let found = known.get(stored);
    if (found === undefined) {
      found = { result: compile(parsedObject(stored)) }; // Validated before it was stored.
      known.set(stored, found);
    }
    return found.result;
  };
}
