/**
 * The metadata of an object, found in its bytes without reading the rest, which may be megabytes. What the server
 * writes has nothing before them but what kind of object it is.
 */
import { endOf, LIST, OBJECT } from './json-bytes.ts';

const KEY = Buffer.from('"metadata":{');
/** What the server writes before them. */
const BEFORE = /^\{(?:"(?:kind|apiVersion)":"[^"\\]*",){0,2}$/;
const BEFORE_BYTES_MAX = 1_024;

const MANAGED_FIELDS = Buffer.from('"managedFields":[');
const COMMA = 0x2c;

/** JSON, without managed fields; undefined: the object is written in another order. */
export function metadataBytes(json: Buffer): Buffer | undefined {
  const key = json.indexOf(KEY);
  if (key < 0 || key > BEFORE_BYTES_MAX || !BEFORE.test(json.toString('utf8', 0, key))) {
    return undefined;
  }
  const from = key + KEY.length;
  const end = endOf(json, from, OBJECT);
  return end < 0 ? undefined : withoutManagedFields(json.subarray(from - 1, end));
}

/**
 * The same bytes where there are none. The key stands in the text only where it is a key, as quotes are escaped in
 * strings; where the first one is that of another object within, that one is cut.
 */
export function withoutManagedFields(json: Buffer): Buffer {
  const key = json.indexOf(MANAGED_FIELDS);
  if (key < 0) return json;
  const end = endOf(json, key + MANAGED_FIELDS.length, LIST);
  if (end < 0) return json;
  // With the comma on one of its sides; a key of nothing has none.
  const isBehindAnother = json[key - 1] === COMMA;
  const from = isBehindAnother ? key - 1 : key;
  const to = !isBehindAnother && json[end] === COMMA ? end + 1 : end;
  return Buffer.concat([json.subarray(0, from), json.subarray(to)]);
}
