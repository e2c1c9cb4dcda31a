/**
 * Which fields differ between two values: those that were taken away, changed, and added.
 *
 * Parts that are one and the same value are not looked into, so that an update costs by what it
 * changes.
 *
 * In Kubernetes: TypedValue.Compare, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { forEachItem, mayPause, remembered } from '../json/work-in-slices.ts';
import { isEqualJson } from '../json/json-tree.ts';
import { ownKeys, ownValue } from '../json/own-property.ts';
import { insertPath, isEmptySet, type FieldSet, type GrowingFieldSet } from './field-set.ts';
import { knownElement } from './list-elements.ts';
import {
  fieldTypeOf,
  type Form,
  formOf,
  heldForm,
  type MergeList,
  type MergeMap,
  type MergeType,
} from './merge-type.ts';
import { fieldElement } from './path-element.ts';

/** No field is in two of them. */
export interface Comparison {
  /** In the object before, and not in the one after. */
  readonly removed: FieldSet;
  /** In both, with another value. */
  readonly modified: FieldSet;
  /** In the object after, and not in the one before. */
  readonly added: FieldSet;
}

export interface Sides {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** Both must be valid, but for items of lists with the same key. */
export function compareValues(sides: Sides, type: MergeType): Comparison {
  // What comes to lie in the sets may be put there twice, so a pause may come anywhere.
  const found = mayPause() ? remembered(nothingFound) : nothingFound();
  const { removed, modified, added } = found;
  compareNode({ removed, modified, added, path: [] }, sides, type);
  return found;
}

function nothingFound(): Pick<Walk, 'removed' | 'modified' | 'added'> {
  return { removed: {}, modified: {}, added: {} };
}

/** True when nothing was removed, modified or added. */
export function isSame({ removed, modified, added }: Comparison): boolean {
  return isEmptySet(removed) && isEmptySet(modified) && isEmptySet(added);
}

/** What was found so far, and where the walk is. */
interface Walk {
  readonly removed: GrowingFieldSet;
  readonly modified: GrowingFieldSet;
  readonly added: GrowingFieldSet;
  readonly path: string[];
}

/** Compares what is at the path of the walk. */
function compareNode(walk: Walk, sides: Sides, type: MergeType): void {
  const { before, after } = sides;
  if (before === after) return;
  const [old, young] = [formOf(type, before), formOf(type, after)];
  if (before !== undefined && after !== undefined) {
    if (old !== young) compareAs(walk, { sides, type, form: old });
    compareAs(walk, { sides, type, form: young });
    return;
  }
  const isWhole = compareAs(walk, { sides, type, form: before === undefined ? young : old });
  if (isWhole) return;
  insertPath(before === undefined ? walk.added : walk.removed, walk.path);
}

/** @returns whether it was taken as a whole, and so is in the result already if it differs. */
function compareAs(
  walk: Walk,
  { sides, type, form }: { readonly sides: Sides; readonly type: MergeType; readonly form: Form },
): boolean {
  const held = heldForm(type, form);
  if (held === 'map' && type.map !== undefined) return compareMaps(walk, sides, type.map);
  if (held === 'list' && type.list !== undefined) return compareLists(walk, sides, type.list);
  return compareWhole(walk, sides);
}

/** Compares two values of which nothing within is a field of its own. */
function compareWhole(walk: Walk, { before, after }: Sides): true {
  if (before === undefined) insertPath(walk.added, walk.path);
  else if (after === undefined) insertPath(walk.removed, walk.path);
  else if (!isEqualJson(before, after)) insertPath(walk.modified, walk.path);
  return true;
}

function compareMaps(walk: Walk, sides: Sides, map: MergeMap): boolean {
  const before = isJsonObject(sides.before) ? sides.before : undefined;
  const after = isJsonObject(sides.after) ? sides.after : undefined;
  if (map.atomic) return compareWhole(walk, sides);
  if (mayPause()) return compareLargeMaps(walk, { before, after, map }, sides);
  // Asking a large object whether it is empty lists its keys, which is half of the work.
  let isEmpty = true;
  for (const name in before) {
    const was = before[name];
    if (was === undefined) continue;
    isEmpty = false;
    const is = after && ownValue(after, name);
    if (was !== is) compareField(walk, { name, before: was, after: is, map });
  }
  for (const name in after) {
    const is = after[name];
    if (is === undefined) continue;
    isEmpty = false;
    if (before !== undefined && ownValue(before, name) !== undefined) continue;
    compareField(walk, { name, before: undefined, after: is, map });
  }
  return isEmpty ? compareWhole(walk, sides) : false;
}

/** Keys are listed: `for in` asks of each key of a large object whether it is still there. */
function compareLargeMaps(
  walk: Walk,
  { before = {}, after = {}, map }: LargeMaps,
  sides: Sides,
): boolean {
  const [were, are] = [ownKeys(before), ownKeys(after)];
  if (were.length === 0 && are.length === 0) return compareWhole(walk, sides);
  enterItself(walk, sides);
  forEachItem(were, (name) => {
    const [was, is] = [before[name], ownValue(after, name)];
    if (was !== is) compareField(walk, { name, before: was, after: is, map });
  });
  forEachItem(are, (name) => {
    if (ownValue(before, name) !== undefined) return;
    compareField(walk, { name, before: undefined, after: after[name], map });
  });
  return false;
}

interface LargeMaps {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  readonly map: MergeMap;
}

/**
 * A map or a list that is only on one side is itself in the set, and not only what is in it. It gets
 * there first, where it belongs: a large set that is in order needs no sorting.
 */
function enterItself({ added, removed, path }: Walk, { before, after }: Sides): void {
  if (before !== undefined && after !== undefined) return;
  insertPath(before === undefined ? added : removed, path);
}

function compareField(
  walk: Walk,
  { name, before, after, map }: Sides & { readonly name: string; readonly map: MergeMap },
): void {
  const type = fieldTypeOf(map, name);
  if (type === undefined) return;
  walk.path.push(fieldElement(name));
  compareNode(walk, { before, after }, type);
  walk.path.pop();
}

function compareLists(walk: Walk, sides: Sides, list: MergeList): boolean {
  const before = Array.isArray(sides.before) ? sides.before : [];
  const after = Array.isArray(sides.after) ? sides.after : [];
  if (list.relation === 'atomic' || (before.length === 0 && after.length === 0)) {
    return compareWhole(walk, sides);
  }
  // Most lists are as they were, and the keys of items take longer to write than the items to compare.
  if (before.length === after.length && !mayPause() && isEqualJson(before, after)) return false;
  const [were, are] = [itemsByElement(before, list), itemsByElement(after, list)];
  if (mayPause()) return compareLargeLists(walk, { were, are, list }, sides);
  for (const [element, was] of were) {
    compareItems(walk, { element, was, is: are.get(element) ?? NO_ITEMS, list });
  }
  for (const [element, is] of are) {
    if (!were.has(element)) compareItems(walk, { element, was: NO_ITEMS, is, list });
  }
  return false;
}

function compareLargeLists(walk: Walk, { were, are, list }: LargeLists, sides: Sides): boolean {
  enterItself(walk, sides);
  forEachItem(elementsOf(were), (element) => {
    const [was, is] = [were.get(element) ?? NO_ITEMS, are.get(element) ?? NO_ITEMS];
    compareItems(walk, { element, was, is, list });
  });
  forEachItem(elementsOf(are), (element) => {
    if (were.has(element)) return;
    compareItems(walk, { element, was: NO_ITEMS, is: are.get(element) ?? NO_ITEMS, list });
  });
  return false;
}

interface LargeLists {
  readonly were: ItemsByElement;
  readonly are: ItemsByElement;
  readonly list: MergeList;
}

const NO_ITEMS: readonly JsonValue[] = [];

/** The items of a list by their keys or values; some may share one. */
type ItemsByElement = Map<string, JsonValue[]>;

function itemsByElement(items: readonly JsonValue[], list: MergeList): ItemsByElement {
  if (!mayPause()) {
    const byElement: ItemsByElement = new Map();
    for (const item of items) enterItem(byElement, item, list);
    return byElement;
  }
  const byElement = remembered((): ItemsByElement => new Map());
  forEachItem(items, (item) => {
    enterItem(byElement, item, list);
  });
  return byElement;
}

function elementsOf(items: ItemsByElement): readonly string[] {
  return remembered(() => [...items.keys()]);
}

function enterItem(byElement: ItemsByElement, item: JsonValue, list: MergeList): void {
  const element = knownElement(list, item);
  const others = byElement.get(element);
  if (others === undefined) byElement.set(element, [item]);
  else others.push(item);
}

interface Items {
  readonly element: string;
  readonly was: readonly JsonValue[];
  readonly is: readonly JsonValue[];
  readonly list: MergeList;
}

/** Compares the items of one key or value. Items that share a key are taken together, as a whole. */
function compareItems(walk: Walk, { element, was, is, list }: Items): void {
  walk.path.push(element);
  if (was.length <= 1 && is.length <= 1) {
    compareNode(walk, { before: was[0], after: is[0] }, list.items);
  } else if (was.length > 1 && is.length > 1) {
    if (!isEqualJson([...was], [...is])) insertPath(walk.modified, walk.path);
  } else if (was.length > 1) {
    if (is.length > 0) compareNode(walk, { before: undefined, after: is[0] }, list.items);
    insertPath(walk.removed, walk.path);
  } else {
    if (was.length > 0) compareNode(walk, { before: was[0], after: undefined }, list.items);
    insertPath(walk.added, walk.path);
  }
  walk.path.pop();
}
