/**
 * Lays one value over another: what the second says holds, what it does not say stays. Nothing is
 * taken away by this. Items of a list that both have stand in the order of the second. Parts that
 * stay as they are are the very same values, so that who compares need not look into them.
 *
 * In Kubernetes: TypedValue.Merge, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { isEqualJson } from '../json/json-tree.ts';
import { ownValue, setOwn } from '../json/own-property.ts';
import { knownElement } from './list-elements.ts';
import {
  fieldTypeOf,
  formOf,
  heldForm,
  type MergeList,
  type MergeMap,
  type MergeType,
} from './merge-type.ts';

/**
 * Both must be valid; items with the same key are allowed on the left alone. Neither is changed,
 * and the result shares parts with both. undefined is nothing at all, of which nothing is said.
 */
export function mergeValues(
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  type: MergeType,
): JsonValue | undefined {
  if (right === undefined || left === right) return left;
  if (left === undefined) return right;
  const form = heldForm(type, formOf(type, right));
  if (form === 'map' && type.map !== undefined) return mergeMaps(left, right, type.map);
  if (form === 'list' && type.list !== undefined) return mergeLists(left, right, type.list);
  return overlaid(left, right);
}

function overlaid(left: JsonValue, right: JsonValue): JsonValue {
  return isEqualJson(left, right) ? left : right;
}

/** What is null or of another kind stands for an empty object, unless both are empty. */
function mergeMaps(left: JsonValue, right: JsonValue, map: MergeMap): JsonValue {
  const hasLeft = isJsonObject(left) && !isEmpty(left);
  const hasRight = isJsonObject(right) && !isEmpty(right);
  if (map.atomic || (!hasLeft && !hasRight)) return overlaid(left, right);
  if (!hasRight) return left;
  return hasLeft ? mergeFields(left, right, map) : right;
}

function mergeFields(left: JsonObject, right: JsonObject, map: MergeMap): JsonObject {
  let result: JsonObject | undefined;
  for (const name in right) {
    const [before, over] = [ownValue(left, name), right[name]];
    const type = over === undefined ? undefined : fieldTypeOf(map, name);
    const value = type === undefined ? before : mergeValues(before, over, type);
    if (value === before || value === undefined) continue;
    result ??= { ...left };
    setOwn(result, name, value);
  }
  return result ?? left;
}

function isEmpty(object: JsonObject): boolean {
  for (const key in object) {
    if (object[key] !== undefined) return false;
  }
  return true;
}

function mergeLists(left: JsonValue, right: JsonValue, list: MergeList): JsonValue {
  const hasLeft = Array.isArray(left) && left.length > 0;
  const hasRight = Array.isArray(right) && right.length > 0;
  if (list.relation === 'atomic' || (!hasLeft && !hasRight)) return overlaid(left, right);
  if (!hasRight) return left;
  if (!hasLeft) return right;
  const result = new ListMerge(left, right, list).run();
  const isAsLeft = result.length === left.length && result.every((item, at) => item === left[at]);
  return isAsLeft ? left : result;
}

/**
 * Goes through both lists side by side. What only the left one has stays in its place before the
 * next item that both have; the items that both have come as the right one orders them.
 */
class ListMerge {
  readonly #left: readonly JsonValue[];
  readonly #list: MergeList;
  readonly #leftElements: readonly string[];
  readonly #rightElements: readonly string[];
  /** By element; null for one that is there twice. */
  readonly #leftItems = new Map<string, JsonValue>();
  readonly #rightItems = new Map<string, JsonValue>();
  /** What both have, as the right one orders it, and how far that has been merged. */
  readonly #shared: readonly string[];
  #sharedDone = 0;
  #l = 0;
  #r = 0;
  readonly #taken = new Set<string>();
  readonly #result: JsonValue[] = [];

  constructor(left: readonly JsonValue[], right: readonly JsonValue[], list: MergeList) {
    this.#left = left;
    this.#list = list;
    this.#leftElements = left.map((item) => knownElement(list, item));
    this.#rightElements = right.map((item) => knownElement(list, item));
    for (const [index, element] of this.#leftElements.entries()) {
      this.#leftItems.set(element, this.#leftItems.has(element) ? null : (left[index] ?? null));
    }
    for (const [index, element] of this.#rightElements.entries()) {
      this.#rightItems.set(element, right[index] ?? null);
    }
    this.#shared = this.#rightElements.filter((element) => this.#leftItems.has(element));
  }

  run(): JsonValue[] {
    while (this.#l < this.#leftElements.length || this.#r < this.#rightElements.length) {
      const mine = this.#leftElements[this.#l];
      const yours = this.#rightElements[this.#r];
      if (mine === undefined || mine === yours) {
        if (mine !== undefined) this.#l++;
        this.#takeRight(yours);
      } else {
        this.#goOn(mine, yours);
      }
    }
    return this.#result;
  }

  #goOn(mine: string, yours: string | undefined): void {
    if (this.#staysBehind(mine, yours)) {
      this.#l++;
    } else if (!this.#rightItems.has(mine)) {
      this.#push(this.#left[this.#l], undefined);
      this.#l++;
    } else {
      if (this.#taken.has(mine)) this.#l++;
      this.#takeRight(yours);
    }
  }

  #takeRight(yours: string | undefined): void {
    if (yours === undefined) return;
    this.#taken.add(yours);
    this.#push(this.#leftItems.get(yours), this.#rightItems.get(yours));
    if (this.#shared[this.#sharedDone] === yours) this.#sharedDone++;
    this.#r++;
  }

  /** It is in both, and another one that is in both comes before it. */
  #staysBehind(mine: string, yours: string | undefined): boolean {
    const next = this.#shared[this.#sharedDone];
    return yours !== undefined && this.#rightItems.has(mine) && next !== undefined && next !== mine;
  }

  #push(left: JsonValue | undefined, right: JsonValue | undefined): void {
    const merged = mergeValues(left, right, this.#list.items);
    if (merged !== undefined) this.#result.push(merged);
  }
}
