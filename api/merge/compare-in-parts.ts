/**
 * What compareValues does, in parts between which others have their turn: the comparison of an
 * object with a hundred thousand fields takes a tenth of a second or more.
 *
 * The surprise: keys are listed and not gone through by `for in`, which asks of each key of a large
 * object whether it is still there.
 */
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { PART, type Parts } from '../json/parts.ts';
import { ownValue } from '../json/own-property.ts';
import {
  compareItems,
  compareNode,
  compareWhole,
  enterItem,
  type Comparison,
  type ItemsByElement,
  type Sides,
  type Walk,
} from './compare-values.ts';
import { insertPath } from './field-set.ts';
import {
  fieldTypeOf,
  formOf,
  heldForm,
  type MergeList,
  type MergeMap,
  type MergeType,
} from './merge-type.ts';
import { fieldElement } from './path-element.ts';

/** Below it, fields are compared as a whole; lists that users fill lie above. */
const DEPTH_MAX = 6;

/** Both must be valid, but for items of lists with the same key. */
export function* compareInParts(sides: Sides, type: MergeType): Parts<Comparison> {
  const walk: PartedWalk = { removed: {}, modified: {}, added: {}, path: [], met: 0 };
  yield* compareParts(walk, sides, type);
  return { removed: walk.removed, modified: walk.modified, added: walk.added };
}

interface PartedWalk extends Walk {
  met: number;
}

function* compareParts(walk: PartedWalk, sides: Sides, type: MergeType): Parts<void> {
  const { before, after } = sides;
  if (before === after) return;
  walk.met += 1;
  if (walk.met % PART === 0) yield;
  const [old, young] = [formOf(type, before), formOf(type, after)];
  const isTwofold = before !== undefined && after !== undefined && old !== young;
  if (isTwofold || walk.path.length >= DEPTH_MAX) {
    compareNode(walk, sides, type);
    return;
  }
  const form = heldForm(type, before === undefined ? young : old);
  if (form === 'map' && type.map?.atomic === false) yield* compareMapParts(walk, sides, type.map);
  else if (form === 'list' && type.list !== undefined && type.list.relation !== 'atomic') {
    yield* compareListParts(walk, sides, type.list);
  } else compareNode(walk, sides, type);
}

function* compareMapParts(walk: PartedWalk, sides: Sides, map: MergeMap): Parts<void> {
  const before = isJsonObject(sides.before) ? sides.before : undefined;
  const after = isJsonObject(sides.after) ? sides.after : undefined;
  let isEmpty = true;
  for (const name of Object.keys(before ?? {})) {
    const was = before?.[name];
    if (was === undefined) continue;
    if (isEmpty) enterItself(walk, sides);
    isEmpty = false;
    const is = after && ownValue(after, name);
    yield* compareFieldParts(walk, { name, before: was, after: is, map });
  }
  for (const name of Object.keys(after ?? {})) {
    const is = after?.[name];
    if (is === undefined) continue;
    if (isEmpty) enterItself(walk, sides);
    isEmpty = false;
    if (before !== undefined && ownValue(before, name) !== undefined) continue;
    yield* compareFieldParts(walk, { name, before: undefined, after: is, map });
  }
  if (isEmpty) compareWhole(walk, sides);
}

function* compareFieldParts(
  walk: PartedWalk,
  { name, before, after, map }: Sides & { readonly name: string; readonly map: MergeMap },
): Parts<void> {
  const type = fieldTypeOf(map, name);
  if (type === undefined) return;
  walk.path.push(fieldElement(name));
  yield* compareParts(walk, { before, after }, type);
  walk.path.pop();
}

function* compareListParts(walk: PartedWalk, sides: Sides, list: MergeList): Parts<void> {
  const before = Array.isArray(sides.before) ? sides.before : [];
  const after = Array.isArray(sides.after) ? sides.after : [];
  if (before.length === 0 && after.length === 0) {
    compareWhole(walk, sides);
    return;
  }
  enterItself(walk, sides);
  const were = yield* itemsInParts(before, list);
  const are = yield* itemsInParts(after, list);
  for (const [element, was] of were) {
    walk.met += 1;
    if (walk.met % PART === 0) yield;
    compareItems(walk, { element, was, is: are.get(element) ?? NO_ITEMS, list });
  }
  for (const [element, is] of are) {
    if (were.has(element)) continue;
    walk.met += 1;
    if (walk.met % PART === 0) yield;
    compareItems(walk, { element, was: NO_ITEMS, is, list });
  }
}

const NO_ITEMS: readonly JsonValue[] = [];

function* itemsInParts(
  items: readonly JsonValue[],
  list: MergeList,
): Parts<ReadonlyMap<string, readonly JsonValue[]>> {
  const byElement: ItemsByElement = new Map();
  for (const [index, item] of items.entries()) {
    if (index % PART === PART - 1) yield;
    enterItem(byElement, item, list);
  }
  return byElement;
}

/**
 * A map or a list that is only on one side is itself in the set, and not only what is in it. It gets
 * there first, where it belongs: a large set that is in order needs no sorting.
 */
function enterItself(walk: PartedWalk, { before, after }: Sides): void {
  if (before !== undefined && after !== undefined) return;
  insertPath(before === undefined ? walk.added : walk.removed, walk.path);
}
