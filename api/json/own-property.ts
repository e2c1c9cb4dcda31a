/**
 * Keys of clients on plain objects. A key may be `__proto__` or `constructor`: reading must not
 * find what objects inherit, writing must not change what an object is.
 */
import type { JsonObject, JsonValue } from './json.ts';
import {
  flatMapItems,
  forEachItem,
  forEachKey,
  keysOf,
  mayPause,
  remembered,
  someItem,
} from './work-in-slices.ts';

/** undefined when the object does not have the key itself. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

const UNDERSCORE = 0x5f;
const ZERO = 0x30;
const NINE = 0x39;
/** A number of more digits is no index of a list to the engine. */
const INDEX_DIGITS_MAX = 10;
/** Numbers of fewer digits leave no list that takes long to be made. */
const LARGE_INDEX_DIGITS = 5;
/** The greatest index there is. */
const LAST_INDEX = '4294967294';

/** Objects whose numbers lie in a table. */
const tables = new WeakSet<JsonObject>();

/**
 * Sets the key as an own property, whatever it is called: `__proto__` is a key like others.
 *
 * So is a number, which the surprise is about: keys that are numbers lie in a list, or in a table where
 * they are too far from one another, and the engine moves all of them from the one to the other in the
 * call that sets the next, a tenth of a second of 180,000. An object that has had the greatest index
 * keeps its table.
 */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  const first = key.charCodeAt(0);
  if (first === UNDERSCORE && key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    return;
  }
  if (first <= NINE && isLargeIndex(key) && !tables.has(object)) keepTable(object);
  object[key] = value;
}

function isLargeIndex(key: string): boolean {
  if (key.length < LARGE_INDEX_DIGITS || key.length > INDEX_DIGITS_MAX) return false;
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at);
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}

function keepTable(object: JsonObject): void {
  tables.add(object);
  if (Object.hasOwn(object, LAST_INDEX)) return;
  object[LAST_INDEX] = null;
  // Only the client's keys may stay.
  Reflect.deleteProperty(object, LAST_INDEX);
}

/** The keys that have a value, null being one. */
export function ownKeys(object: JsonObject): readonly string[] {
  const hasValue = (key: string): boolean => object[key] !== undefined;
  if (!mayPause()) return Object.keys(object).filter(hasValue);
  // To look at the values of a large object takes as long as to list its keys.
  const keys = keysOf(object);
  if (!someItem(keys, (key) => !hasValue(key))) return keys;
  return flatMapItems(keys, (key) => (hasValue(key) ? [key] : []));
}

/** The object with some keys set anew, or taken away where the value is undefined. */
export function withChanges(
  object: JsonObject,
  changes: ReadonlyMap<string, JsonValue | undefined>,
): JsonObject {
  if (changes.size === 0) return object;
  if (mayPause()) return withManyChanges(object, changes);
  const result: JsonObject = {};
  for (const key of Object.keys(object)) {
    const value = changes.has(key) ? changes.get(key) : object[key];
    if (value !== undefined) setOwn(result, key, value);
  }
  for (const [key, value] of changes) {
    if (value !== undefined && !Object.hasOwn(object, key)) setOwn(result, key, value);
  }
  return result;
}

function withManyChanges(
  object: JsonObject,
  changes: ReadonlyMap<string, JsonValue | undefined>,
): JsonObject {
  const result = remembered((): JsonObject => ({}));
  forEachKey(object, (key) => {
    const value = changes.has(key) ? changes.get(key) : object[key];
    if (value !== undefined) setOwn(result, key, value);
  });
  forEachItem([...changes.keys()], (key) => {
    const value = changes.get(key);
    if (value !== undefined && !Object.hasOwn(object, key)) setOwn(result, key, value);
  });
  return result;
}
