/**
 * How a default gets into an object in its JSON form. Go knows two kinds of unset: a pointer that
 * is nil (`setIfAbsent`: an explicit 0 or '' stays) and a plain field that is zero (`setIfZero`:
 * an explicit 0 or '' cannot be told from nothing). Which of the two a field is, its Go type says.
 *
 * In Kubernetes: the bodies of the functions SetDefaults_* and SetObjectDefaults_*.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import {
  beforeLongCall,
  forEachItem,
  KEYS_A_STEP,
  mayPause,
  remembered,
  stepped,
} from '../json/work-in-slices.ts';

/** For pointer fields, lists and maps: only null and a missing key are unset. */
export function setIfAbsent(object: JsonObject, key: string, value: JsonValue): void {
  if (isAbsent(object[key])) object[key] = value;
}

/** For plain strings, numbers and booleans: the zero value is unset as well. */
export function setIfZero(object: JsonObject, key: string, value: JsonValue): void {
  if (isZero(object[key])) object[key] = value;
}

/** True for a field that is missing or null, which Go decodes alike. */
export function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** True for the zero value of Go as well, which `omitempty` leaves out. */
export function isZero(value: JsonValue | undefined): boolean {
  return isAbsent(value) || value === '' || value === 0 || value === false;
}

/** Whether a list or a map has nothing in it, or is not there at all. */
export function isEmpty(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!mayPause()) return !isJsonObject(value) || !hasKeys(value);
  // Whatever is put into it before the work begins again. The engine lists all keys before the first.
  return remembered(() => {
    if (!isJsonObject(value)) return true;
    beforeLongCall();
    const { length } = Object.keys(value);
    stepped(length / KEYS_A_STEP);
    return length === 0;
  });
}

/** The struct at `key`, made when it is not there: in Go a struct that is no pointer always is. */
export function structAt(parent: JsonObject, key: string): JsonObject {
  const present = parent[key];
  if (isJsonObject(present)) return present;
  const made: JsonObject = {};
  parent[key] = made;
  return made;
}

/**
 * Calls back for each object in the list at `key`; does nothing when there is no list. A null in a
 * list of structs is a struct with nothing in it, and becomes one.
 */
export function forEachIn(
  parent: JsonObject,
  key: string,
  visit: (item: JsonObject) => void,
): void {
  const list = parent[key];
  if (!Array.isArray(list)) return;
  forEachItem(list, (item, index) => {
    if (isJsonObject(item)) visit(item);
    else if (item === null) visit((list[index] = {}));
  });
}

/** Calls back with the object at `key`; does nothing when there is none. */
export function withObject(
  parent: JsonObject,
  key: string,
  visit: (child: JsonObject) => void,
): void {
  const child = parent[key];
  if (isJsonObject(child)) visit(child);
}

function hasKeys(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true;
  return false;
}
