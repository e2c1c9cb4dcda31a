/**
 * In which order the items of a merged list stand: those of the patch as the patch has them, those
 * that only the document has as the document has them, and the two interleaved so that the
 * document's order is kept where it can be. Where the patch has a `$setElementOrder`, that must
 * name each of its items, in order.
 *
 * In Kubernetes: validatePatchWithSetOrderList, normalizeElementOrder and mergeSortedSlice,
 * apimachinery/pkg/util/strategicpatch.
 */
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { formatGoValue } from '../json/go-format.ts';
import { ownValue } from '../json/own-property.ts';
import { PatchProblem, unexpected } from './patch-result.ts';
import {
  DIRECTIVE,
  noMergeKey,
  notAnObject,
  SET_ELEMENT_ORDER,
} from './strategic-merge-directives.ts';
import { sortedItems } from '../json/long-values.ts';
import {
  forEachItem,
  mapItems,
  remembered,
  rememberedOf,
  someItem,
} from '../json/work-in-slices.ts';

export function checkElementOrder(
  patch: readonly JsonValue[],
  order: readonly JsonValue[],
  mergeKey: string,
): PatchProblem | undefined {
  if (patch.length === 0 || order.length === 0) return undefined;
  if (mergeKey !== '') {
    const wrong = patch.find((item) => !isJsonObject(item));
    if (wrong !== undefined) return notAnObject(wrong);
  }
  const items = mergeKey === '' ? patch : patch.filter((item) => directiveOf(item) !== 'delete');
  let next = 0;
  let at = 0;
  while (next < items.length && at < order.length) {
    const item = items[next] ?? null;
    if (directiveOf(item) !== undefined) {
      next++;
      continue;
    }
    const isSame = isSameItem(item, order[at] ?? null, mergeKey);
    if (isSame instanceof PatchProblem) return isSame;
    if (isSame) next++;
    at++;
  }
  if (next >= items.length) return undefined;
  const shown = `${formatGoValue([...patch])}\n doesn't match ${SET_ELEMENT_ORDER} list:`;
  return unexpected(`The order in patch list:\n${shown}\n${formatGoValue([...order])}\n`);
}

function directiveOf(item: JsonValue): JsonValue | undefined {
  return isJsonObject(item) ? ownValue(item, DIRECTIVE) : undefined;
}

function isSameItem(item: JsonValue, other: JsonValue, mergeKey: string): boolean | PatchProblem {
  if (mergeKey === '') return item === other;
  if (!isJsonObject(item)) return notAnObject(item);
  if (!isJsonObject(other)) return notAnObject(other);
  const id = ownValue(item, mergeKey);
  if (id === undefined) return noMergeKey(item, mergeKey);
  const otherId = ownValue(other, mergeKey);
  return otherId === undefined ? noMergeKey(other, mergeKey) : id === otherId;
}

/** What makes an item the same item: the value of its merge key, or of a scalar the scalar. */
interface Identity {
  readonly areObjects: boolean;
  /** '' when there is none. */
  readonly mergeKey: string;
}

interface ItemsToOrder {
  /** Items that the patch speaks of, and the order it wants. */
  readonly patchItems: readonly JsonValue[];
  readonly patchOrder: readonly JsonValue[];
  /** All others, and the order they had. */
  readonly serverItems: readonly JsonValue[];
  readonly serverOrder: readonly JsonValue[];
}

export function orderItems(items: ItemsToOrder, identity: Identity): JsonValue[] | PatchProblem {
  const { patchItems, patchOrder, serverItems, serverOrder } = items;
  const patch = sortLike(patchItems, patchOrder, identity);
  if (patch instanceof PatchProblem) return patch;
  const server = sortLike(serverItems, serverOrder, identity);
  if (server instanceof PatchProblem) return server;
  return interleave(server, patch, positions(serverOrder, identity), identity);
}

type Positions = ReadonlyMap<JsonValue | undefined, number>;

/** The first position of each identity. */
function positions(list: readonly JsonValue[], identity: Identity): Positions {
  const found = remembered(() => new Map<JsonValue | undefined, number>());
  forEachItem(list, (item, index) => {
    const id = identityOf(item, identity);
    if (!found.has(id)) found.set(id, index);
  });
  return found;
}

function identityOf(item: JsonValue, { areObjects, mergeKey }: Identity): JsonValue | undefined {
  if (!areObjects) return item;
  return isJsonObject(item) ? (ownValue(item, mergeKey) ?? null) : null;
}

/** Items that are marked for deletion come last. */
function sortLike(
  items: readonly JsonValue[],
  order: readonly JsonValue[],
  identity: Identity,
): JsonValue[] | PatchProblem {
  const problem = identity.areObjects
    ? (missingMergeKey(items, identity) ?? missingMergeKey(order, identity))
    : undefined;
  if (problem !== undefined) return problem;
  const isDeleted = (item: JsonValue): boolean =>
    identity.areObjects && isJsonObject(item) && ownValue(item, DIRECTIVE) === 'delete';
  const kept = rememberedOf([items], () => items.filter((item) => !isDeleted(item)));
  const sorted = sortByPosition(kept, order, identity);
  return rememberedOf([items], () => [...sorted, ...items.filter(isDeleted)]);
}

function sortByPosition(
  items: readonly JsonValue[],
  order: readonly JsonValue[],
  identity: Identity,
): JsonValue[] {
  const found = positions(order, identity);
  const placed = mapItems(items, (item): Placed => {
    return { item, position: found.get(identityOf(item, identity)) };
  });
  const isOrdered = !someItem(placed, ({ position }) => position === undefined);
  const sorted =
    isOrdered || placed.length > INSERTED_ITEMS_MAX
      ? sortedItems(placed, (a, b) => (a.position ?? -1) - (b.position ?? -1))
      : remembered(() => insertionSorted(placed));
  return mapItems(sorted, ({ item }) => item);
}

/** Longer lists would take long; what no order knows then comes first. */
const INSERTED_ITEMS_MAX = 1_000;

interface Placed {
  readonly item: JsonValue;
  readonly position: number | undefined;
}

/**
 * Upstream says "comes before" of any two items when one of them is not in the order, which no
 * other way of sorting makes the same of.
 */
function insertionSorted(items: readonly Placed[]): Placed[] {
  const placed = [...items];
  for (let end = 1; end < placed.length; end++) {
    const one = placed[end];
    if (one === undefined) continue;
    let at = end;
    for (; at > 0; at--) {
      const before = placed[at - 1];
      if (before === undefined || !comesBefore(one.position, before.position)) break;
      placed[at] = before;
    }
    placed[at] = one;
  }
  return placed;
}

function comesBefore(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || one < other;
}

function interleave(
  server: readonly JsonValue[],
  patch: readonly JsonValue[],
  order: Positions,
  identity: Identity,
): JsonValue[] {
  const merged = remembered((): { readonly list: JsonValue[]; taken: number } => {
    return { list: [], taken: 0 };
  });
  forEachItem(patch, (item) => {
    const position = order.get(identityOf(item, identity));
    while (merged.taken < server.length) {
      const next = server[merged.taken] ?? null;
      if (!isBefore(next, position, order, identity)) break;
      merged.list.push(next);
      merged.taken += 1;
    }
    merged.list.push(item);
  });
  return rememberedOf([merged.list, server], () => {
    return [...merged.list, ...server.slice(merged.taken)];
  });
}

function isBefore(
  item: JsonValue,
  position: number | undefined,
  order: Positions,
  identity: Identity,
): boolean {
  const own = order.get(identityOf(item, identity));
  return own !== undefined && position !== undefined && own < position;
}

function missingMergeKey(
  items: readonly JsonValue[],
  { mergeKey }: Identity,
): PatchProblem | undefined {
  const isWrong = (item: JsonValue): boolean =>
    !isJsonObject(item) || ownValue(item, mergeKey) === undefined;
  const wrong = rememberedOf([items], () => items.find(isWrong));
  if (wrong === undefined) return undefined;
  return isJsonObject(wrong) ? noMergeKey(wrong, mergeKey) : notAnObject(wrong);
}
