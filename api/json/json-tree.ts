/**
 * Whole values: how deep they are, whether two are equal, how long they are when written, a copy.
 * All but the first recurse as deep as the value goes, so ask for its depth before.
 */
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import {
  forEachItem,
  forEachKey,
  mapItems,
  mayPause,
  remembered,
  someItem,
  someKey,
} from './work-in-slices.ts';
import { ownKeys, ownValue, setOwn } from './own-property.ts';

/** Deeper than any real object, and shallow enough to be gone through by recursion. */
export const DEPTH_MAX = 1_000;

/**
 * Whether more than `depthMax` objects and arrays stand one in another.
 *
 * @param depthMax At most {@link DEPTH_MAX}, as this goes that deep itself and no deeper.
 */
export function isDeeperThan(value: JsonValue | undefined, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depthMax === 0) return true;
  if (mayPause()) return isLargeDeeperThan(value, depthMax - 1);
  if (Array.isArray(value)) {
    for (const item of value) {
      if (isDeeperThan(item, depthMax - 1)) return true;
    }
    return false;
  }
  // `for in` would ask of each key of a large object whether it is still there.
  for (const key of Object.keys(value)) {
    if (isDeeperThan(value[key], depthMax - 1)) return true;
  }
  return false;
}

function isLargeDeeperThan(value: JsonValue[] | JsonObject, depthMax: number): boolean {
  if (Array.isArray(value)) return someItem(value, (item) => isDeeperThan(item, depthMax));
  return someKey(value, (key) => isDeeperThan(value[key], depthMax));
}

/** The order of keys does not count. */
export function isEqualJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      !someItem(one, (item, index) => !isEqualJson(item, other[index]))
    );
  }
  return isJsonObject(one) && isJsonObject(other) && isEqualObject(one, other);
}

function isEqualObject(one: JsonObject, other: JsonObject): boolean {
  const keys = ownKeys(one);
  if (keys.length !== ownKeys(other).length) return false;
  if (mayPause()) return !someItem(keys, (key) => !isEqualJson(one[key], ownValue(other, key)));
  return keys.every((key) => isEqualJson(one[key], ownValue(other, key)));
}

/** A copy that shares nothing with the value; keys without a value are left out. */
export function copyJson<Value extends JsonValue>(value: Value): Value;
export function copyJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return mapItems(value, copyJson);
  if (!isJsonObject(value)) return value;
  const copy = remembered((): JsonObject => ({}));
  forEachKey(value, (key) => {
    const child = value[key];
    if (child !== undefined) setOwn(copy, key, copyJson(child));
  });
  return copy;
}

/** As Go would write it, in bytes. */
export function jsonSizeBytes(value: JsonValue): number {
  if (typeof value === 'string') return stringSizeBytes(value);
  if (Array.isArray(value)) {
    const commas = Math.max(value.length - 1, 0);
    return sumOver(value, jsonSizeBytes) + 2 + commas;
  }
  if (!isJsonObject(value)) return String(value).length;
  const keys = ownKeys(value);
  const punctuation = 2 + Math.max(keys.length - 1, 0) + keys.length;
  const sizeOf = (key: string): number => stringSizeBytes(key) + jsonSizeBytes(value[key] ?? null);
  return sumOver(keys, sizeOf) + punctuation;
}

function sumOver<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  const sum = remembered(() => ({ bytes: 0 }));
  forEachItem(items, (item) => {
    sum.bytes += sizeOf(item);
  });
  return sum.bytes;
}

/** Go writes `<`, `>`, `&` and two line separators as six bytes each. */
function stringSizeBytes(text: string): number {
  const written = JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, '\\u0000');
  return Buffer.byteLength(written);
}
