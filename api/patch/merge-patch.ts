/**
 * JSON merge patches (RFC 7386), with upstream's one addition: nulls are also taken out of objects
 * within arrays, wherever the patch puts an array that does not take the place of an object.
 * Neither the document nor the patch is changed.
 *
 * In Kubernetes: MergePatch, gopkg.in/evanphx/json-patch.v4, as the apiserver calls it.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { FieldValidation } from '../meta/options.ts';
import { DEPTH_MAX, isDeeperThan } from '../json/json-tree.ts';
import { ownKeys, ownValue, withChanges } from '../json/own-property.ts';
import { malformed, patched, type PatchResult } from './patch-result.ts';

/** `fieldValidation` only decides how a patch that is no object is refused. */
export function applyMergePatch(
  document: JsonValue,
  patch: JsonValue,
  fieldValidation: FieldValidation,
): PatchResult {
  if (fieldValidation !== 'Ignore' && patch !== null && !isJsonObject(patch)) {
    const type = Array.isArray(patch)
      ? 'array'
      : typeof patch === 'boolean'
        ? 'bool'
        : typeof patch;
    const what = `${type} into Go value of type map[string]interface {}`;
    return malformed(`error decoding patch: json: cannot unmarshal ${what}`);
  }
  if (isDeeperThan(patch, DEPTH_MAX)) return malformed('exceeded max depth');
  if (Array.isArray(patch)) return patched(pruneNulls(patch));
  if (!isJsonObject(patch)) return malformed('Invalid JSON Patch');
  return patched(isJsonObject(document) ? mergeObject(document, patch) : pruneNulls(patch));
}

function mergeObject(document: JsonObject, patch: JsonObject): JsonObject {
  const changes = new Map<string, JsonValue | undefined>();
  for (const key of ownKeys(patch)) {
    const wanted = patch[key];
    if (wanted === undefined || wanted === null) {
      changes.set(key, undefined);
      continue;
    }
    const current = ownValue(document, key);
    changes.set(key, isJsonObject(current) ? mergeValue(current, wanted) : pruneNulls(wanted));
  }
  return withChanges(document, changes);
}

/** What takes the place of an object is taken as it is, nulls and all. */
function mergeValue(current: JsonObject, wanted: JsonValue): JsonValue {
  return isJsonObject(wanted) ? mergeObject(current, wanted) : wanted;
}

/** Nulls that are items of arrays stay. */
function pruneNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(pruneNulls);
  if (!isJsonObject(value)) return value;
  const changes = new Map<string, JsonValue | undefined>();
  for (const key of ownKeys(value)) {
    const child = value[key] ?? null;
    if (child === null) changes.set(key, undefined);
    else if (typeof child === 'object') changes.set(key, pruneNulls(child));
  }
  return withChanges(value, changes);
}
