/**
 * A total order of values of any kind: numbers, strings, booleans, lists, objects, null.
 *
 * In Kubernetes: value.Compare, sigs.k8s.io/structured-merge-diff.
 */
import type { JsonObject, JsonValue } from '../json/json.ts';
import { compareGoStrings } from '../json/go-format.ts';
import { ownKeys, ownValue } from '../json/own-property.ts';

export function compareValues(left: JsonValue, right: JsonValue): number {
  const rank = rankOf(left) - rankOf(right);
  if (rank !== 0) return rank;
  if (typeof left === 'string' && typeof right === 'string') return compareGoStrings(left, right);
  if (Array.isArray(left) && Array.isArray(right)) return compareLists(left, right);
  if (typeof left === 'object' && typeof right === 'object') {
    // Of the same rank, so that both are objects or both null.
    return left === null ? 0 : compareObjects(left as JsonObject, right as JsonObject);
  }
  if (typeof left === 'bigint' || typeof right === 'bigint') return compareNumbers(left, right);
  return Number(left) - Number(right);
}

function rankOf(value: JsonValue): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  if (typeof value === 'bigint') return 0;
  return ['number', 'string', 'boolean', '', 'object'].indexOf(typeof value);
}

/** Two int64 as such; beside a float64 an int64 is one, too. Both are numbers. */
function compareNumbers(left: JsonValue, right: JsonValue): number {
  const areWhole = isWhole(left) && isWhole(right);
  const [one, other] = areWhole ? [BigInt(left), BigInt(right)] : [Number(left), Number(right)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function isWhole(value: JsonValue): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function compareLists(left: readonly JsonValue[], right: readonly JsonValue[]): number {
  for (const [index, item] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareValues(item, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** The first key that only one of them has, or whose values differ, decides. */
function compareObjects(left: JsonObject, right: JsonObject): number {
  const [leftKeys, rightKeys] = [ownKeys(left), ownKeys(right)];
  const keys = [...new Set([...leftKeys, ...rightKeys])].sort(compareGoStrings);
  for (const [index, key] of keys.entries()) {
    if (index === leftKeys.length) return -1;
    if (index === rightKeys.length) return 1;
    const [one, other] = [ownValue(left, key), ownValue(right, key)];
    if (one === undefined) return 1;
    if (other === undefined) return -1;
    const order = compareValues(one, other);
    if (order !== 0) return order;
  }
  return 0;
}
