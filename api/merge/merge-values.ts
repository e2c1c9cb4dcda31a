/**
 * Lays one value over another: what the second says holds, what it does not say stays. Nothing is
 * taken away by this. Items of a list that both have stand in the order of the second. Parts that
 * stay as they are are the very same values, so that a comparison need not look into them.
 *
 * In Kubernetes: TypedValue.Merge, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { copiedObject } from '../json/long-values.ts';
import {
  forEachItem,
  forEachKey,
  hasFields,
  mapItems,
  remembered,
  someItem,
  untilDone,
} from '../json/work-in-slices.ts';
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
  const hasLeft = isJsonObject(left) && hasFields(left);
  const hasRight = isJsonObject(right) && hasFields(right);
  if (map.atomic || (!hasLeft && !hasRight)) return overlaid(left, right);
  if (!hasRight) return left;
  return hasLeft ? mergeFields(left, right, map) : right;
}

function mergeFields(left: JsonObject, right: JsonObject, map: MergeMap): JsonObject {
  const merged = remembered(() => ({ object: left }));
  forEachKey(right, (name) => {
    const [before, over] = [ownValue(left, name), right[name]];
    const type = over === undefined ? undefined : fieldTypeOf(map, name);
    const value = type === undefined ? before : mergeValues(before, over, type);
    if (value === before || value === undefined) return;
    if (merged.object === left) merged.object = copiedObject(left);
    setOwn(merged.object, name, value);
  });
  return merged.object;
}

function mergeLists(left: JsonValue, right: JsonValue, list: MergeList): JsonValue {
  const hasLeft = Array.isArray(left) && left.length > 0;
  const hasRight = Array.isArray(right) && right.length > 0;
  if (list.relation === 'atomic' || (!hasLeft && !hasRight)) return overlaid(left, right);
  if (!hasRight) return left;
  if (!hasLeft) return right;
  const result = mergedLists(left, right, list);
  const isAsLeft =
    result.length === left.length && !someItem(result, (item, at) => item !== left[at]);
  return isAsLeft ? left : result;
}

function mergedLists(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  list: MergeList,
): JsonValue[] {
  const leftElements = mapItems(left, (item) => knownElement(list, item));
  const rightElements = mapItems(right, (item) => knownElement(list, item));
  const leftItems = remembered(() => new Map<string, JsonValue>());
  forEachItem(leftElements, (element, index) => {
    leftItems.set(element, leftItems.has(element) ? null : (left[index] ?? null));
  });
  const rightItems = remembered(() => new Map<string, JsonValue>());
  forEachItem(rightElements, (element, index) => {
    rightItems.set(element, right[index] ?? null);
  });
  const sides = { list, left, leftElements, rightElements, leftItems, rightItems };
  const merge = remembered(() => new ListMerge(sides));
  untilDone(() => merge.step());
  return merge.result;
}

interface ListSides {
  readonly list: MergeList;
  readonly left: readonly JsonValue[];
  readonly leftElements: readonly string[];
  readonly rightElements: readonly string[];
  /** By element; null for one that is there twice. */
  readonly leftItems: ReadonlyMap<string, JsonValue>;
  readonly rightItems: ReadonlyMap<string, JsonValue>;
}

/**
 * Goes through both lists side by side. What only the left one has stays in its place before the
 * next item that both have; the items that both have come as the right one orders them.
 */
class ListMerge {
  readonly result: JsonValue[] = [];
  readonly #sides: ListSides;
  /** What both have, as the right one orders it, and how far that has been merged. */
  readonly #shared: readonly string[];
  #sharedDone = 0;
  #l = 0;
  #r = 0;
  readonly #taken = new Set<string>();

  constructor(sides: ListSides) {
    this.#sides = sides;
    this.#shared = sides.rightElements.filter((element) => sides.leftItems.has(element));
  }

  /** Items are merged before anything else changes, as that may pause. */
  step(): 'go on' | 'done' {
    const { left, leftElements, rightElements, rightItems } = this.#sides;
    const [mine, yours] = [leftElements[this.#l], rightElements[this.#r]];
    if (mine === undefined && yours === undefined) return 'done';
    if (mine === undefined || mine === yours) {
      this.#takeRight(yours);
      if (mine !== undefined) this.#l++;
    } else if (this.#staysBehind(mine, yours)) {
      this.#l++;
    } else if (!rightItems.has(mine)) {
      this.#push(left[this.#l], undefined);
      this.#l++;
    } else {
      const isTaken = this.#taken.has(mine);
      this.#takeRight(yours);
      if (isTaken) this.#l++;
    }
    return 'go on';
  }

  #takeRight(yours: string | undefined): void {
    if (yours === undefined) return;
    this.#push(this.#sides.leftItems.get(yours), this.#sides.rightItems.get(yours));
    this.#taken.add(yours);
    if (this.#shared[this.#sharedDone] === yours) this.#sharedDone++;
    this.#r++;
  }

  /** It is in both, and another one that is in both comes before it. */
  #staysBehind(mine: string, yours: string | undefined): boolean {
    const next = this.#shared[this.#sharedDone];
    const isInBoth = yours !== undefined && this.#sides.rightItems.has(mine);
    return isInBoth && next !== undefined && next !== mine;
  }

  #push(left: JsonValue | undefined, right: JsonValue | undefined): void {
    const merged = mergeValues(left, right, this.#sides.list.items);
    if (merged !== undefined) this.result.push(merged);
  }
}
