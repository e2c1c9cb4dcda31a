/**
 * The form in which custom resources are stored and shown: keys in the order of Go's maps, metadata
 * as Go writes it. What is sorted already, as most clients send it, is taken as it is.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import { areSorted, setKey, sortedKeys } from '../scheme/typed-json-keys.ts';
import type { TypedCodec } from '../scheme/typed-json.ts';
import { readMetadata } from './embedded-metadata.ts';

/** Of the objects of all custom resources, whatever their schema. */
export const storedCustomResourceCodec: TypedCodec = {
  decode(value) {
    if (!isJsonObject(value)) return { ok: false, message: 'not an object' };
    const read = readMetadata(value['metadata'] ?? null);
    if (!read.ok) return read;
    const object = { ...value, metadata: read.metadata };
    const sorted = sortedObject(object);
    return { ok: true, value: sorted, unknownFields: [] };
  },
};

/** The value itself when all its keys stand in order, and have values. */
export function sortedValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return sortedList(value);
  return isJsonObject(value) ? sortedObject(value) : value;
}

function sortedList(list: JsonValue[]): JsonValue[] {
  let changed: JsonValue[] | undefined;
  for (const [index, item] of list.entries()) {
    const sorted = sortedValue(item);
    if (sorted !== item) (changed ??= [...list])[index] = sorted;
  }
  return changed ?? list;
}

function sortedObject(object: JsonObject): JsonObject {
  const keys = Object.keys(object);
  let isSame = areSorted(keys);
  const values = new Map<string, JsonValue>();
  for (const key of isSame ? keys : sortedKeys(object)) {
    const value = object[key];
    const sorted = value === undefined ? undefined : sortedValue(value);
    isSame &&= sorted === value && value !== undefined;
    if (sorted !== undefined) values.set(key, sorted);
  }
  if (isSame) return object;
  const result: JsonObject = {};
  for (const [key, value] of values) setKey(result, key, value);
  return result;
}
