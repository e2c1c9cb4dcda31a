/**
 * What controllers ask of objects of any kind: their metadata, without managed fields. Whatever else an object
 * has, which may be megabytes, is neither read nor gone through.
 */
import { isJsonObject, objectAt } from '../../api/json/json.ts';
import { parseJson } from '../../api/json/json-text.ts';
import type { ObjectMeta } from '../../api/meta/object-meta.ts';
import type { StoredObject } from '../../streams/event.ts';
import { endOf, OBJECT } from './json-bytes.ts';
import { withoutManagedFields } from './object-for-cells.ts';
import { bytesOf, parsedAsWritten } from './stored-object.ts';

const KEY = Buffer.from('"metadata":{');
/** What the server writes before them. */
const BEFORE = /^\{(?:"(?:kind|apiVersion)":"[^"\\]*",){0,2}$/;
const BEFORE_BYTES_MAX = 1_024;

/** As they were written, with the resourceVersion; a new object at each call. */
export function metadataOf(object: StoredObject): ObjectMeta {
  return {
    ...(readAlone(object) ?? readWhole(object)),
    resourceVersion: String(object.resourceVersion),
  };
}

/** undefined: the object is written in another order. */
function readAlone(object: StoredObject): ObjectMeta | undefined {
  const json = bytesOf(object);
  const key = json.indexOf(KEY);
  if (key < 0 || key > BEFORE_BYTES_MAX || !BEFORE.test(json.toString('utf8', 0, key))) {
    return undefined;
  }
  const from = key + KEY.length;
  const end = endOf(json, from, OBJECT);
  if (end < 0) return undefined;
  const text = withoutManagedFields(json.subarray(from - 1, end)).toString();
  const metadata = parseJson(text);
  return isJsonObject(metadata) ? metadata : undefined;
}

function readWhole(object: StoredObject): ObjectMeta {
  return objectAt(parsedAsWritten(object), 'metadata') ?? {};
}
