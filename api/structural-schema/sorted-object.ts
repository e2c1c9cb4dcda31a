/**
 * Keys in the order of Go's maps, in which custom resources are stored and shown. What is sorted
 * already, as most clients send it, is taken as it is.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { sortedItems } from '../json/long-values.ts';
import { setOwn } from '../json/own-property.ts';
import { compareKeys } from '../json/typed-json-keys.ts';
import { forEachItem, keysOf, mayPause, remembered, rememberedOf } from '../json/work-in-slices.ts';

/** Characters that JavaScript may order otherwise than Go. */
const BEYOND = /[\ud800-\uffff]/;

/** The value itself when all its keys stand in order, and have values. */
export function sortedValue(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return sortedList(value);
  return isJsonObject(value) ? sortedObject(value) : value;
}

function sortedList(list: JsonValue[]): JsonValue[] {
  if (mayPause()) return sortedLargeList(list);
  let changed: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] ?? null;
    const sorted = sortedValue(item);
    if (sorted !== item) (changed ??= [...list])[index] = sorted;
  }
  return changed ?? list;
}

function sortedObject(object: JsonObject): JsonObject {
  if (mayPause()) return sortedLargeObject(object);
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
    if (changed !== undefined && sorted !== undefined) setOwn(changed, key, sorted);
  }
  return changed ?? object;
}

function sortedLargeList(list: JsonValue[]): JsonValue[] {
  const made = remembered(() => ({ list }));
  forEachItem(list, (given, index) => {
    const item = given ?? null;
    const sorted = sortedValue(item);
    if (sorted === item) return;
    if (made.list === list) made.list = [...list];
    made.list[index] = sorted;
  });
  return made.list;
}

/** A new one: what stands before the first change would have to be copied in one go. */
function sortedLargeObject(object: JsonObject): JsonObject {
  const given = keysOf(object);
  const isOrdered = rememberedOf([given], () => isInOrder(given));
  const keys = isOrdered ? given : sortedItems(given, compareKeys);
  const made = remembered((): JsonObject => ({}));
  const state = remembered(() => ({ isChanged: !isOrdered }));
  forEachItem(keys, (key) => {
    const value = object[key];
    const sorted = value === undefined ? undefined : sortedValue(value);
    if (sorted === undefined || sorted !== value) state.isChanged = true;
    if (sorted !== undefined) setOwn(made, key, sorted);
  });
  return state.isChanged ? made : object;
}

function fieldsOf(object: JsonObject, keys: readonly string[]): JsonObject {
  const fields: JsonObject = {};
  for (const key of keys) setOwn(fields, key, object[key] ?? null);
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
