/**
 * A stored object as cells of a table need it: without `metadata.managedFields`, which is half of the text of most
 * objects and takes longest to read, since its keys are names that no other object has.
 *
 * The text is cut before it is parsed. Where the first key of that name is one of another object within, this has
 * lost that one, which no printer reads either.
 */
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { StoredObject } from '../../streams/event.ts';
import { withoutManagedFields } from './metadata-bytes.ts';
import { bytesOf, parsedObject } from './stored-object.ts';

/**
 * The object, which also may have no resourceVersion. A new one at each call.
 *
 * @param bytes its own, where they are at hand.
 */
export function objectForCells(object: StoredObject, bytes = bytesOf(object)): KubeObject {
  const { resource, path } = object;
  return parsedObject({ resource, path, json: withoutManagedFields(bytes) });
}
