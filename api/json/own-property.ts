/**
 * Keys of clients on plain objects. A key may be `__proto__` or `constructor`: reading must not
 * find what objects inherit, writing must not change what an object is.
 */
import type { JsonObject, JsonValue } from './json.ts';
import { forEachItem, forEachKey, listedKeys, mayPause, remembered } from './work-in-slices.ts';

/** undefined when the object does not have the key itself. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets the key as an own property, also when it is called `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    object[key] = value;
  }
}

/** The keys that have a value, null being one. */
export function ownKeys(object: JsonObject): readonly string[] {
  if (mayPause()) return listedKeys(() => keysWithValue(object));
  return keysWithValue(object);
}

function keysWithValue(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
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
