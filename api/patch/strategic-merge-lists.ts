/**
 * Merging two lists: scalars become a set, objects with the same merge key are merged.
 *
 * Upstream works in place and looks up items one by one; here nothing is changed and items are
 * found by maps, because a list of a hundred thousand items must not stop all other requests.
 * In Kubernetes: mergeSlice, apimachinery/pkg/util/strategicpatch.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { flatMapUntil, forEachItem, remembered, rememberedOf } from '../json/work-in-slices.ts';
import { formatGoValue, goTypeOf } from '../json/go-format.ts';
import { ownValue } from '../json/own-property.ts';
import type { PatchSchema } from './patch-schema.ts';
import { panicking, PatchProblem, unexpected, unprocessable } from './patch-result.ts';
import { badDirective, DIRECTIVE, noMergeKey, notAnObject } from './strategic-merge-directives.ts';
import { orderItems } from './strategic-merge-order.ts';

export interface ListMerge {
  readonly original: readonly JsonValue[];
  readonly patch: readonly JsonValue[];
  /** The schema of the items. */
  readonly schema: PatchSchema;
  /** '' when there is none. */
  readonly mergeKey: string;
  /** The patch lists what is to be taken out. */
  readonly isDeletion: boolean;
  /** Merges one item; given, because objects merge lists and lists objects. */
  readonly mergeItem: MergeItem;
}

export type MergeItem = (
  original: JsonObject,
  patch: JsonObject,
  schema: PatchSchema,
) => JsonObject | PatchProblem;

export interface MergedList {
  readonly items: readonly JsonValue[];
  /**
   * The order that the original is left in for a later order of the result: without what was
   * deleted, but with as many of the new items, which upstream puts in the room that became free.
   */
  readonly originalOrder: readonly JsonValue[];
}

export function mergeLists(merge: ListMerge): MergedList | PatchProblem {
  const { original, patch, isDeletion, mergeKey, schema } = merge;
  if (original.length === 0 && patch.length === 0) return { items: [], originalOrder: [] };
  const type = itemType([original, patch]);
  if (type instanceof PatchProblem) return type;
  if (type !== OBJECT_TYPE) {
    if (!isDeletion) return mergeScalars(merge);
    return { items: partitionScalars(original, patch).absent, originalOrder: original };
  }
  if (mergeKey === '') {
    return unexpected(`cannot merge lists without merge key for ${schema.kind}`);
  }
  return mergeObjects(merge);
}

/** What Go calls the type of all items; mixed lists cannot be merged, nor can lists of lists. */
export function itemType(lists: readonly (readonly JsonValue[])[]): string | PatchProblem {
  const sample = lists.find((list) => list.length > 0)?.[0];
  if (sample === undefined) return unexpected('no elements in any of the given slices');
  if (sample === null) return panicking('the first item of a list to merge is null');
  if (Array.isArray(sample)) return unprocessable('lists of lists are not supported');
  const type = goTypeOf(sample);
  const isOfType = (list: readonly JsonValue[]): boolean =>
    list.every((item) => goTypeOf(item) === type);
  if (rememberedOf(lists, () => lists.every(isOfType))) return type;
  const shown = formatGoValue(lists.map((list) => [...list]));
  return unexpected(`list element types are not identical: ${shown}`);
}

export const OBJECT_TYPE = 'map[string]interface {}';

/** Items, parted by whether another list has the same. */
export interface Partition {
  readonly present: JsonValue[];
  readonly absent: JsonValue[];
}

export function partitionScalars(items: readonly JsonValue[], by: readonly JsonValue[]): Partition {
  const known = remembered(() => new Set<JsonValue>());
  forEachItem(by, (item) => {
    known.add(item);
  });
  const partition = remembered((): Partition => ({ present: [], absent: [] }));
  forEachItem(items, (item) => {
    (known.has(item) ? partition.present : partition.absent).push(item);
  });
  return partition;
}

/** All items once, in order. */
function distinct(...lists: readonly (readonly JsonValue[])[]): readonly JsonValue[] {
  const found = remembered(() => new Set<JsonValue>());
  for (const list of lists) {
    forEachItem(list, (item) => {
      found.add(item);
    });
  }
  return rememberedOf([{ length: found.size }], () => [...found]);
}

export function partitionObjects(
  items: readonly JsonValue[],
  by: readonly JsonValue[],
  mergeKey: string,
): Partition | PatchProblem {
  const partition: Partition = { present: [], absent: [] };
  const firstOther = by.findIndex((item) => !isJsonObject(item));
  const comparable = firstOther < 0 ? by : by.slice(0, firstOther);
  const known = indexByKey(comparable, mergeKey);
  for (const item of items) {
    if (!isJsonObject(item)) return notAnObject(item);
    const id = ownValue(item, mergeKey);
    if (id === undefined) return noMergeKey(item, mergeKey);
    if (known.has(id)) {
      partition.present.push(item);
    } else if (firstOther < 0) {
      partition.absent.push(item);
    } else {
      return unexpected(`value for key ${String(firstOther)} is not a map`);
    }
  }
  return partition;
}

function mergeScalars({ original, patch, mergeKey }: ListMerge): MergedList | PatchProblem {
  if (mergeKey !== '') return notAnObject(original[0] ?? patch[0]);
  if (patch.length === 0) {
    const items = rememberedOf([original], () => withoutDuplicates(original));
    return { items, originalOrder: items };
  }
  const { present, absent } = partitionScalars(distinct(original, patch), patch);
  const items = orderItems(
    { patchItems: present, patchOrder: patch, serverItems: absent, serverOrder: original },
    { areObjects: false, mergeKey },
  );
  return items instanceof PatchProblem ? items : { items, originalOrder: original };
}

/**
 * In the order that upstream leaves a list in to which nothing was added: it fills the place of a
 * duplicate with the last item. Long lists, where that would take long, keep their order.
 */
function withoutDuplicates(list: readonly JsonValue[]): JsonValue[] {
  if (list.length > SCRAMBLED_ITEMS_MAX) return [...new Set(list)];
  const items = [...list];
  for (let kept = 0; kept < items.length; kept++) {
    for (let at = items.indexOf(items[kept] ?? null, kept + 1); at > 0;) {
      const last = items.pop() ?? null;
      if (at < items.length) items[at] = last;
      at = items.indexOf(items[kept] ?? null, at);
    }
  }
  return items;
}

const SCRAMBLED_ITEMS_MAX = 1_000;

function mergeObjects(merge: ListMerge): MergedList | PatchProblem {
  const { mergeKey } = merge;
  const sorted = rememberedOf([merge.original, merge.patch], () => sortOutDirectives(merge));
  if (sorted instanceof PatchProblem) return sorted;
  const { original, patch } = sorted;
  const merged = mergeByKey(merge, original, patch);
  if (merged instanceof PatchProblem) return merged;
  const partition = rememberedOf([merged], () => partitionObjects(merged, patch, mergeKey));
  if (partition instanceof PatchProblem) return partition;
  const items = orderItems(
    {
      patchItems: partition.present,
      patchOrder: patch,
      serverItems: partition.absent,
      serverOrder: merged.slice(0, original.length),
    },
    { areObjects: true, mergeKey },
  );
  if (items instanceof PatchProblem) return items;
  const originalOrder = sorted.replaced ?? merged.slice(0, merge.original.length);
  return { items, originalOrder };
}

interface SortedOut {
  /** Without what the patch deletes; the patch's own items when it replaces the list. */
  readonly original: readonly JsonValue[];
  /** Without directives. */
  readonly patch: readonly JsonValue[];
  /** What the original would be if the patch did not replace it; undefined when it does not. */
  readonly replaced?: readonly JsonValue[];
}

function sortOutDirectives({ original, patch, mergeKey }: ListMerge): SortedOut | PatchProblem {
  const ordinary: JsonValue[] = [];
  const deleted = new Set<JsonValue>();
  let replaces = false;
  for (const item of patch) {
    if (!isJsonObject(item)) return notAnObject(item);
    const directive = ownValue(item, DIRECTIVE);
    if (directive === undefined) {
      ordinary.push(item);
    } else if (directive === 'delete') {
      const id = ownValue(item, mergeKey);
      if (id === undefined) return noMergeKey(item, mergeKey);
      deleted.add(id);
    } else if (directive === 'replace') {
      replaces = true;
    } else if (directive === 'merge') {
      return unexpected('merging lists cannot yet be specified in the patch');
    } else {
      return badDirective(directive, item);
    }
  }
  const isKept = (item: JsonValue): boolean => {
    const id = isJsonObject(item) ? ownValue(item, mergeKey) : undefined;
    return id === undefined || !deleted.has(id);
  };
  const kept = deleted.size === 0 ? original : original.filter(isKept);
  if (replaces) return { original: ordinary, patch: [], replaced: kept };
  return { original: kept, patch: ordinary };
}

/** The original's items, each merged with all the patch's items of its key, then the new ones. */
function mergeByKey(
  { mergeKey, schema, mergeItem }: ListMerge,
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
): JsonValue[] | PatchProblem {
  const merged = remembered(() => [...original]);
  const index = rememberedOf([original], () => indexByKey(original, mergeKey));
  const [problem] = flatMapUntil(patch, 1, (item) => {
    if (!isJsonObject(item)) return [notAnObject(item)];
    const id = ownValue(item, mergeKey);
    if (id === undefined) return [noMergeKey(item, mergeKey)];
    const at = index.get(id);
    const current = at === undefined ? undefined : merged[at];
    if (at === undefined || !isJsonObject(current)) {
      index.set(id, merged.length);
      merged.push(item);
      return [];
    }
    const result = mergeItem(current, item, schema);
    if (result instanceof PatchProblem) return [result];
    merged[at] = result;
    return [];
  });
  return problem ?? merged;
}

/** The first position of each value of the merge key. */
function indexByKey(items: readonly JsonValue[], mergeKey: string): Map<JsonValue, number> {
  const index = new Map<JsonValue, number>();
  for (const [position, item] of items.entries()) {
    const id = isJsonObject(item) ? ownValue(item, mergeKey) : undefined;
    if (id !== undefined && !index.has(id)) index.set(id, position);
  }
  return index;
}
