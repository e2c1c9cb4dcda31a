/**
 * A stored object as cells of a table need it: without `metadata.managedFields`, which is half of the text of most
 * objects and takes longest to read, since its keys are names that no other object has.
 *
 * The text is cut before it is parsed. That key stands in the text only where it is a key, as quotes are escaped
 * in strings; where the first one is that of another object within, this has lost that one, which no printer reads either.
 */
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { StoredObject } from '../../streams/event.ts';
import { endOf, LIST } from './json-bytes.ts';
import { bytesOf, parsedObject } from './stored-object.ts';

const KEY = Buffer.from('"managedFields":[');
const COMMA = 0x2c;

/** The object, which also may have no resourceVersion. A new one at each call. */
export function objectForCells(object: StoredObject): KubeObject {
  const { resource, path } = object;
  return parsedObject({ resource, path, json: withoutManagedFields(bytesOf(object)) });
}

/** The same bytes where there are none. */
export function withoutManagedFields(json: Buffer): Buffer {
  const key = json.indexOf(KEY);
  if (key < 0) return json;
  const end = endOf(json, key + KEY.length, LIST);
  if (end < 0) return json;
  // With the comma on one of its sides; a key of nothing has none.
  const isBehindAnother = json[key - 1] === COMMA;
  const from = isBehindAnother ? key - 1 : key;
  const to = !isBehindAnother && json[end] === COMMA ? end + 1 : end;
  return Buffer.concat([json.subarray(0, from), json.subarray(to)]);
}
