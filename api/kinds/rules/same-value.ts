/**
 * Whether two JSON values mean the same to the API.
 *
 * Go's decoder makes no difference between a list that is absent, null or empty, so neither do we.
 * An empty object is something else than an absent one: `podSelector: {}` selects all pods.
 * Quantities are compared as they are spelled.
 *
 * In Kubernetes: Semantic.DeepEqual, apimachinery/pkg/api/equality.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';

type Value = JsonValue | undefined;

export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b);
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b);
  return isJsonObject(a) && isJsonObject(b) && sameObject(a, b);
}

/** As {@link sameValue}, for fields that are maps: there `{}` is no more than nothing. */
export function sameMap(a: Value, b: Value): boolean {
  return sameObject(isJsonObject(a) ? a : {}, isJsonObject(b) ? b : {});
}

function isAbsent(value: Value): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function sameList(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  return a.length === b.length && a.every((value, index) => sameValue(value, b[index]));
}

function sameObject(a: JsonObject, b: JsonObject): boolean {
  for (const key of Object.keys(a)) {
    if (!sameValue(a[key], Object.hasOwn(b, key) ? b[key] : undefined)) return false;
  }
  for (const key of Object.keys(b)) {
    if (!Object.hasOwn(a, key) && !isAbsent(b[key])) return false;
  }
  return true;
}
