/**
 * JSON merge patches (RFC 7386), with upstream's one addition: nulls are also taken out of objects
 * within arrays, wherever the patch puts an array that does not take the place of an object.
 * Neither the document nor the patch is changed.
 *
 * In Kubernetes: MergePatch, gopkg.in/evanphx/json-patch.v4, as the apiserver calls it.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { FieldValidation } from '../options/options.ts';
import { forEachItem, mapItems, mayPause, remembered } from '../json/work-in-slices.ts';
import { DEPTH_MAX, isDeeperThan } from '../json/json-tree.ts';
import { ownKeys, ownValue, withChanges } from '../json/own-property.ts';
import { malformed, patched, type PatchResult } from './patch-result.ts';
import { touchedByMerge } from './shown-order.ts';

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
  if (!isJsonObject(patch) && !Array.isArray(patch)) return malformed('Invalid JSON Patch');
  const isMerged = isJsonObject(document) && isJsonObject(patch);
  const value = isMerged ? mergeObject(document, patch) : pruneNulls(patch);
  return patched(value, [], () => touchedByMerge(value, isMerged ? document : null, patch));
}

function mergeObject(document: JsonObject, patch: JsonObject): JsonObject {
  if (mayPause()) return mergeLargeObject(document, patch);
  const changes: Changes = new Map();
  for (const key of ownKeys(patch)) changes.set(key, changeOf(key, document, patch));
  return withChanges(document, changes);
}

type Changes = Map<string, JsonValue | undefined>;

function mergeLargeObject(document: JsonObject, patch: JsonObject): JsonObject {
  const changes = remembered((): Changes => new Map());
  forEachItem(ownKeys(patch), (key) => {
    changes.set(key, changeOf(key, document, patch));
  });
  return withChanges(document, changes);
}

/** undefined: the key goes. */
function changeOf(key: string, document: JsonObject, patch: JsonObject): JsonValue | undefined {
  const wanted = patch[key];
  if (wanted === undefined || wanted === null) return undefined;
  const current = ownValue(document, key);
  return isJsonObject(current) ? mergeValue(current, wanted) : pruneNulls(wanted);
}

/** What takes the place of an object is taken as it is, nulls and all. */
function mergeValue(current: JsonObject, wanted: JsonValue): JsonValue {
  return isJsonObject(wanted) ? mergeObject(current, wanted) : wanted;
}

/** Nulls that are items of arrays stay. */
function pruneNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return mapItems(value, pruneNulls);
  if (!isJsonObject(value)) return value;
  if (mayPause()) return pruneLargeObject(value);
  const changes: Changes = new Map();
  for (const key of ownKeys(value)) {
    const child = value[key] ?? null;
    if (child === null) changes.set(key, undefined);
    else if (typeof child === 'object') changes.set(key, pruneNulls(child));
  }
  return withChanges(value, changes);
}

function pruneLargeObject(value: JsonObject): JsonObject {
  const changes = remembered((): Changes => new Map());
  forEachItem(ownKeys(value), (key) => {
    const child = value[key] ?? null;
    if (child === null) changes.set(key, undefined);
    else if (typeof child === 'object') changes.set(key, pruneNulls(child));
  });
  return withChanges(value, changes);
}
