/**
 * A stored object as cells of a table need it: without `metadata.managedFields`, which is half of the text of most
 * objects and takes longest to read, since its keys are names that no other object has.
 *
 * The text is cut before it is parsed. That key stands in the text only where it is a key, as quotes are escaped
 * in strings; where the first one is that of another object within, this has lost that one, which no printer reads either.
 */
import type { KubeObject } from '../../api/meta/object-meta.ts';
import type { StoredObject } from '../../streams/event.ts';
import { bytesOf, parsedObject } from './stored-object.ts';

const KEY = Buffer.from('"managedFields":[');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** The object, which also may have no resourceVersion. A new one at each call. */
export function objectForCells(object: StoredObject): KubeObject {
  const { resource, path } = object;
  return parsedObject({ resource, path, json: withoutManagedFields(bytesOf(object)) });
}

/** The same bytes where there are none. */
export function withoutManagedFields(json: Buffer): Buffer {
  const key = json.indexOf(KEY);
  if (key < 0) return json;
  const end = endOfList(json, key + KEY.length);
  if (end < 0) return json;
  // With the comma on one of its sides; a key of nothing has none.
  const isBehindAnother = json[key - 1] === COMMA;
  const from = isBehindAnother ? key - 1 : key;
  const to = !isBehindAnother && json[end] === COMMA ? end + 1 : end;
  return Buffer.concat([json.subarray(0, from), json.subarray(to)]);
}

/** Behind the bracket that closes it; -1: there is none. */
function endOfList(json: Buffer, start: number): number {
  let depth = 1;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_LIST) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** At its closing quote. */
function endOfString(json: Buffer, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
