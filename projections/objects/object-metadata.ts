/**
 * What controllers ask of objects of any kind: their metadata, without managed fields. Whatever else an object
 * has, which may be megabytes, is neither read nor gone through.
 */
import { isJsonObject, objectAt } from '../../api/json/json.ts';
import { parseJson } from '../../api/json/json-text.ts';
import type { ObjectMeta } from '../../api/meta/object-meta.ts';
import type { StoredObject } from '../../streams/event.ts';
import { metadataBytes } from './metadata-bytes.ts';
import { bytesOf } from './stored-object.ts';
import { parsedAsWritten } from './written-object.ts';

/** As they were written, with the resourceVersion; a new object at each call. */
export function metadataOf(object: StoredObject): ObjectMeta {
  return {
    ...(readAlone(object) ?? readWhole(object)),
    resourceVersion: String(object.resourceVersion),
  };
}

/** undefined: the object is written in another order. */
function readAlone(object: StoredObject): ObjectMeta | undefined {
  const bytes = metadataBytes(bytesOf(object));
  if (bytes === undefined) return undefined;
  const metadata = parseJson(bytes.toString());
  return isJsonObject(metadata) ? metadata : undefined;
}

function readWhole(object: StoredObject): ObjectMeta {
  return objectAt(parsedAsWritten(object), 'metadata') ?? {};
}
