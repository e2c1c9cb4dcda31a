/**
 * Lays one value over another: what the second says holds, what it does not say stays. Nothing is
 * taken away by this. Items of a list that both have stand in the order of the second. Parts that
 * stay as they are are the very same values, so that who compares need not look into them.
 *
 * In Kubernetes: TypedValue.Merge, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import { isEqualJson } from '../patch/json-tree.ts';
import { ownValue, setOwn } from '../patch/own-property.ts';
import { knownElement } from './list-elements.ts';
import {
  fieldTypeOf,
  formOf,
  heldForm,
  type MergeList,
  type MergeMap,
  type MergeType,
} from './merge-type.ts';

interface Sides {
  readonly left: JsonValue | undefined;
  readonly right: JsonValue | undefined;
}

/**
 * Both must be valid; items with the same key are allowed on the left alone. Neither is changed,
 * and the result shares parts with both.
 *
 * @returns undefined when there is nothing.
 */
export function mergeValues({ left, right }: Sides, type: MergeType): JsonValue | undefined {
  const form = right === undefined ? formOf(type, left) : formOf(type, right);
  const held = heldForm(type, form);
  if (held === 'map' && type.map !== undefined) return mergeMaps({ left, right }, type.map);
  if (held === 'list' && type.list !== undefined) return mergeLists({ left, right }, type.list);
  return overlaid({ left, right });
}

function overlaid({ left, right }: Sides): JsonValue | undefined {
  return right === undefined || isEqualJson(left, right) ? left : right;
}

function mergeMaps(sides: Sides, map: MergeMap): JsonValue | undefined {
  const left = isJsonObject(sides.left) ? sides.left : undefined;
  const right = isJsonObject(sides.right) ? sides.right : undefined;
  // That of two which are empty the right one holds keeps `{}` and null apart.
  if (map.atomic || (isEmpty(left) && isEmpty(right))) return overlaid(sides);
  const result: JsonObject = {};
  for (const name of keysOf(left)) {
    const sides = { left: left?.[name], right: right && ownValue(right, name) };
    mergeField(result, name, { ...sides, map });
  }
  for (const name of keysOf(right)) {
    if (left !== undefined && ownValue(left, name) !== undefined) continue;
    mergeField(result, name, { left: undefined, right: right?.[name], map });
  }
  if (isEmpty(result)) return undefined;
  return left !== undefined && isShallowEqual(left, result) ? left : result;
}

function isShallowEqual(left: JsonObject, result: JsonObject): boolean {
  for (const name in result) {
    if (ownValue(left, name) !== result[name]) return false;
  }
  for (const name in left) {
    if (left[name] !== undefined && !Object.hasOwn(result, name)) return false;
  }
  return true;
}

function mergeField(
  result: JsonObject,
  name: string,
  { left, right, map }: Sides & { readonly map: MergeMap },
): void {
  if (left === undefined && right === undefined) return;
  const type = fieldTypeOf(map, name);
  const value = type === undefined ? undefined : mergeValues({ left, right }, type);
  if (value !== undefined) setOwn(result, name, value);
}

function isEmpty(object: JsonObject | undefined): boolean {
  for (const key in object) {
    if (object[key] !== undefined) return false;
  }
  return true;
}

function keysOf(object: JsonObject | undefined): string[] {
  return object === undefined ? [] : Object.keys(object);
}

function mergeLists(sides: Sides, list: MergeList): JsonValue | undefined {
  const left = Array.isArray(sides.left) ? sides.left : [];
  const right = Array.isArray(sides.right) ? sides.right : [];
  if (list.relation === 'atomic' || (left.length === 0 && right.length === 0)) {
    return overlaid(sides);
  }
  const result = new ListMerge(left, right, list).run();
  if (result.length === 0) return undefined;
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
    const merged = mergeValues({ left, right }, this.#list.items);
    if (merged !== undefined) this.#result.push(merged);
  }
}
