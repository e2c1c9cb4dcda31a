/**
 * The keys of a strategic merge patch that are no fields but say how to merge, and the removal of
 * what says so from values that are taken over.
 *
 * In Kubernetes: apimachinery/pkg/util/strategicpatch and mergepatch.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { formatGoText, formatGoValue, goTypeOf } from '../json/go-format.ts';
import { flatMapItems, forEachItem, remembered } from '../json/work-in-slices.ts';
import { ownKeys, ownValue, setOwn } from '../json/own-property.ts';
import { malformed, unexpected, type PatchProblem } from './patch-result.ts';

export const DIRECTIVE = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
export const SET_ELEMENT_ORDER = '$setElementOrder';

export interface CleaningRules {
  /** Keys whose value is null are left out too. */
  readonly dropsNulls: boolean;
}

/**
 * A value of the patch where there is nothing to merge it with, without all objects in it that are
 * directives; undefined when it is one itself.
 */
export function withoutDirectives(value: JsonValue, rules: CleaningRules): JsonValue | undefined {
  if (Array.isArray(value)) {
    const kept = flatMapItems(value, (item) => {
      const left = withoutDirectives(item, rules);
      return left === undefined ? [] : [left];
    });
    return [...kept];
  }
  return isJsonObject(value) ? cleanObject(value, rules) : value;
}

function cleanObject(object: JsonObject, rules: CleaningRules): JsonObject | undefined {
  const directive = ownValue(object, DIRECTIVE);
  if (directive !== undefined && !(rules.dropsNulls && directive === null)) return undefined;
  const result = remembered((): JsonObject => ({}));
  forEachItem(ownKeys(object), (key) => {
    const child = object[key] ?? null;
    if (child === null && rules.dropsNulls) return;
    const kept = withoutDirectives(child, rules);
    if (kept !== undefined) setOwn(result, key, kept);
  });
  return result;
}

/** `$deleteFromPrimitiveList/finalizers` → `finalizers`. */
export function deletedListName(key: string): string | PatchProblem {
  const name = nameBehind(key, DELETE_FROM_LIST);
  return name ?? malformed('invalid patch format of primitive list');
}

/** `$setElementOrder/containers` → `containers`. */
export function orderedListName(key: string): string | PatchProblem {
  return nameBehind(key, SET_ELEMENT_ORDER) ?? badElementOrder();
}

export function badElementOrder(): PatchProblem {
  return malformed('invalid patch format of setElementOrder list');
}

export function badRetainKeys(): PatchProblem {
  return malformed('invalid patch format of retainKeys');
}

export function badDirective(directive: JsonValue, patch: JsonObject): PatchProblem {
  const map = formatGoValue(patch);
  return unexpected(`unknown patch type: ${formatGoText(directive)} in map: ${map}`);
}

export function noMergeKey(item: JsonObject, mergeKey: string): PatchProblem {
  const map = formatGoValue(item);
  return unexpected(`map: ${map} does not contain declared merge key: ${mergeKey}`);
}

export function notAList(value: JsonValue | undefined): PatchProblem {
  return unexpected(`expected a []interface {}, but received a ${goTypeOf(value)}`);
}

export function notAnObject(value: JsonValue | undefined): PatchProblem {
  return unexpected(`expected a map[string]interface {}, but received a ${goTypeOf(value)}`);
}

function nameBehind(key: string, prefix: string): string | undefined {
  return key.startsWith(`${prefix}/`) ? key.slice(prefix.length + 1) : undefined;
}
