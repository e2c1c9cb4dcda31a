/**
 * Keys in the order of Go's maps, in which custom resources are stored and shown. What is sorted
 * already, as most clients send it, is taken as it is.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { compareKeys, setKey } from '../json/typed-json-keys.ts';

/** Characters that JavaScript may order otherwise than Go. */
const BEYOND = /[\ud800-\uffff]/;

/** The value itself when all its keys stand in order, and have values. */
export function sortedValue(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return sortedList(value);
  return isJsonObject(value) ? sortedObject(value) : value;
}

function sortedList(list: JsonValue[]): JsonValue[] {
  let changed: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    const sorted = sortedValue(item);
    if (sorted !== item) (changed ??= [...list])[index] = sorted;
  }
  return changed ?? list;
}

function sortedObject(object: JsonObject): JsonObject {
  const given = Object.keys(object);
  const isOrdered = isInOrder(given);
  const keys = isOrdered ? given : inOrder(given);
  let changed: JsonObject | undefined = isOrdered ? undefined : {};
  for (const [index, key] of keys.entries()) {
    const value = object[key];
    const sorted = value === undefined ? undefined : sortedValue(value);
    if (changed === undefined && (sorted !== value || sorted === undefined)) {
      changed = fieldsOf(object, keys.slice(0, index));
    }
    if (changed !== undefined && sorted !== undefined) setKey(changed, key, sorted);
  }
  return changed ?? object;
}

function fieldsOf(object: JsonObject, keys: readonly string[]): JsonObject {
  const fields: JsonObject = {};
  for (const key of keys) setKey(fields, key, object[key] ?? null);
  return fields;
}

function inOrder(keys: string[]): string[] {
  return keys.some((key) => BEYOND.test(key)) ? keys.sort(compareKeys) : keys.sort();
}

function isInOrder(keys: readonly string[]): boolean {
  let previous = '';
  for (const key of keys) {
    if (previous > key || BEYOND.test(key)) return false;
    previous = key;
  }
  return true;
}
