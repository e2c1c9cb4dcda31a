/**
 * Strategic merge patches: merge patches in which lists merge as their types say, and directives
 * delete, replace and order. Neither the document nor the patch is changed.
 *
 * A list or an object that the document does not have is taken over with directives and nulls
 * removed; one that *replaces* what is there is taken as it is, as upstream does it.
 * In Kubernetes: StrategicMergeMapPatch, apimachinery/pkg/util/strategicpatch.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { goTypeOf } from '../json/go-format.ts';
import {
  flatMapUntil,
  forEachItem,
  mayPause,
  remembered,
  rememberedOf,
} from '../json/work-in-slices.ts';
import { DEPTH_MAX, isDeeperThan } from '../json/json-tree.ts';
import { ownKeys, ownValue, setOwn, withChanges } from '../json/own-property.ts';
import { malformed, patched, PatchProblem, type PatchResult } from './patch-result.ts';
import { listRules, objectRules, type MergeRules, type PatchSchema } from './patch-schema.ts';
import {
  badDirective,
  badRetainKeys,
  DELETE_FROM_LIST,
  deletedListName,
  DIRECTIVE,
  notAList,
  orderedListName,
  RETAIN_KEYS,
  SET_ELEMENT_ORDER,
  withoutDirectives,
} from './strategic-merge-directives.ts';
import {
  itemType,
  mergeLists,
  OBJECT_TYPE,
  partitionObjects,
  partitionScalars,
  type MergedList,
} from './strategic-merge-lists.ts';
import { checkElementOrder, orderItems } from './strategic-merge-order.ts';

/** @param schema The document's type, for example {@link patchSchemaOf} of the kind. */
export function applyStrategicMergePatch(
  document: JsonValue,
  patch: JsonValue,
  schema: PatchSchema,
): PatchResult {
  if (patch === null) return patched(document);
  if (!isJsonObject(patch)) {
    const type = Array.isArray(patch)
      ? 'array'
      : typeof patch === 'boolean'
        ? 'bool'
        : typeof patch;
    return malformed(
      `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  }
  if (isDeeperThan(patch, DEPTH_MAX)) return malformed('exceeded max depth');
  const merged = mergeObject(isJsonObject(document) ? document : {}, patch, schema);
  return merged instanceof PatchProblem ? merged : patched(merged);
}

function mergeObject(
  document: JsonObject,
  patch: JsonObject,
  schema: PatchSchema,
): JsonObject | PatchProblem {
  const directive = ownValue(patch, DIRECTIVE);
  if (directive !== undefined) return obeyDirective(directive, patch);
  const original = retainKeys(document, patch);
  if (original instanceof PatchProblem) return original;
  const merge = remembered(() => new ObjectMerge(original, patch, schema));
  const problem = merge.run();
  return problem ?? merge.result();
}

function obeyDirective(directive: JsonValue, patch: JsonObject): JsonObject | PatchProblem {
  if (directive === 'replace') return withChanges(patch, new Map([[DIRECTIVE, undefined]]));
  return directive === 'delete' ? {} : badDirective(directive, patch);
}

/** The document without the keys that the patch does not want to retain. */
function retainKeys(document: JsonObject, patch: JsonObject): JsonObject | PatchProblem {
  const wanted = ownValue(patch, RETAIN_KEYS);
  if (wanted === undefined) return document;
  if (!Array.isArray(wanted)) return badRetainKeys();
  const retained = remembered(() => retainedKeys(wanted, patch));
  if (retained instanceof PatchProblem) return retained;
  const result = remembered((): JsonObject => ({}));
  forEachItem(ownKeys(document), (key) => {
    if (retained.has(key)) setOwn(result, key, document[key] ?? null);
  });
  return result;
}

function retainedKeys(
  wanted: readonly JsonValue[],
  patch: JsonObject,
): ReadonlySet<JsonValue> | PatchProblem {
  const retained = new Set(wanted);
  for (const key of ownKeys(patch)) {
    if (patch[key] === null || key === RETAIN_KEYS) continue;
    if (key.startsWith(DELETE_FROM_LIST) || key.startsWith(SET_ELEMENT_ORDER)) continue;
    if (!retained.has(key)) return badRetainKeys();
  }
  return retained;
}

/** One object being merged: what the document has, and what is set anew or taken away. */
class ObjectMerge {
  readonly #original: JsonObject;
  readonly #patch: JsonObject;
  readonly #schema: PatchSchema;
  readonly #changes = new Map<string, JsonValue | undefined>();
  /** Keys of the patch that need not be looked at again. */
  readonly #done = new Set<string>([RETAIN_KEYS]);

  constructor(original: JsonObject, patch: JsonObject, schema: PatchSchema) {
    this.#original = original;
    this.#patch = patch;
    this.#schema = schema;
  }

  /** Ordered lists come first, as their items must not be merged twice. */
  run(): PatchProblem | undefined {
    const keys = ownKeys(this.#patch);
    if (mayPause()) return this.#runInSlices(keys);
    for (const key of keys) {
      const problem = key.startsWith(SET_ELEMENT_ORDER) ? this.#mergeOrdered(key) : undefined;
      if (problem !== undefined) return problem;
    }
    for (const key of keys) {
      const problem = this.#done.has(key) ? undefined : this.#mergeKey(key);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #runInSlices(keys: readonly string[]): PatchProblem | undefined {
    const [problem] = flatMapUntil(keys, 1, (key) => {
      return key.startsWith(SET_ELEMENT_ORDER) ? asList(this.#mergeOrdered(key)) : [];
    });
    if (problem !== undefined) return problem;
    const [other] = flatMapUntil(keys, 1, (key) => {
      return this.#done.has(key) ? [] : asList(this.#mergeKey(key));
    });
    return other;
  }

  result(): JsonObject {
    return withChanges(this.#original, this.#changes);
  }

  #current(name: string): JsonValue | undefined {
    return this.#changes.has(name) ? this.#changes.get(name) : ownValue(this.#original, name);
  }

  #mergeKey(key: string): PatchProblem | undefined {
    const wanted = ownValue(this.#patch, key) ?? null;
    const isDeletion = key.startsWith(DELETE_FROM_LIST);
    const named = isDeletion ? deletedListName(key) : key;
    if (named instanceof PatchProblem) return named;
    const name = named === '' ? key : named;
    if (wanted === null) {
      this.#changes.set(name, undefined);
      return undefined;
    }
    const merged = this.#mergeValue(name, wanted, isDeletion);
    if (merged instanceof PatchProblem) return merged;
    this.#changes.set(name, merged);
    return undefined;
  }

  #mergeValue(
    name: string,
    wanted: JsonValue,
    isDeletion: boolean,
  ): JsonValue | undefined | PatchProblem {
    const current = this.#current(name);
    if (isJsonObject(current) && isJsonObject(wanted)) {
      const rules = objectRules(this.#schema, name);
      if (rules instanceof PatchProblem || rules.strategy === 'replace') {
        return rules instanceof PatchProblem ? rules : wanted;
      }
      return mergeObject(current, wanted, rules.schema);
    }
    if (Array.isArray(current) && Array.isArray(wanted)) {
      const rules = listRules(this.#schema, name);
      if (rules instanceof PatchProblem) return rules;
      const merged = mergeListByRules(current, wanted, rules, isDeletion);
      return merged instanceof PatchProblem ? merged : [...merged.items];
    }
    // A list of deletions deletes nothing from what is no list, unless both are scalars.
    const isReplaced = current !== undefined && goTypeOf(current) === goTypeOf(wanted);
    if (isDeletion && !isReplaced) return current;
    return withoutDirectives(wanted, { dropsNulls: true });
  }

  /** `key` is `$setElementOrder/` and the name of the list. */
  #mergeOrdered(key: string): PatchProblem | undefined {
    const order = ownValue(this.#patch, key);
    if (!Array.isArray(order)) return notAList(order);
    const name = orderedListName(key);
    if (name instanceof PatchProblem) return name;
    const original = this.#current(name);
    if (original !== undefined && !Array.isArray(original)) return notAList(original);
    const wanted = this.#done.has(name) ? undefined : ownValue(this.#patch, name);
    if (wanted !== undefined && !Array.isArray(wanted)) return notAList(wanted);
    const rules = listRules(this.#schema, name);
    if (rules instanceof PatchProblem) return rules;
    const problem = rememberedOf([order], () =>
      checkElementOrder(wanted ?? [], order, rules.mergeKey),
    );
    if (problem !== undefined) return problem;
    // Nothing of this changes before the merge, in which there may be a pause.
    const isThere = original !== undefined || wanted !== undefined;
    const ordered = isThere ? mergeInOrder({ original, wanted, order }, rules) : undefined;
    if (ordered instanceof PatchProblem) return ordered;
    this.#done.add(key);
    if (ordered === undefined) return undefined;
    this.#changes.set(name, ordered);
    this.#done.add(name);
    return undefined;
  }
}

function asList<Item>(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
}

interface OrderedLists {
  readonly original: JsonValue[] | undefined;
  readonly wanted: JsonValue[] | undefined;
  readonly order: JsonValue[];
}

function mergeInOrder(
  { original, wanted, order }: OrderedLists,
  rules: MergeRules,
): JsonValue[] | PatchProblem {
  const merged = mergeForOrder(original, wanted, rules);
  if (merged instanceof PatchProblem) return merged;
  const { mergeKey } = rules;
  const partition = rememberedOf([merged.items, order], () =>
    mergeKey === ''
      ? partitionScalars(merged.items, order)
      : partitionObjects(merged.items, order, mergeKey),
  );
  if (partition instanceof PatchProblem) return partition;
  const type = itemType([original ?? [], wanted ?? []]);
  if (type instanceof PatchProblem) return type;
  return orderItems(
    {
      patchItems: partition.present,
      patchOrder: order,
      serverItems: partition.absent,
      serverOrder: merged.originalOrder,
    },
    { areObjects: type === OBJECT_TYPE, mergeKey },
  );
}

function mergeForOrder(
  original: JsonValue[] | undefined,
  wanted: JsonValue[] | undefined,
  rules: MergeRules,
): MergedList | PatchProblem {
  if (wanted === undefined) return { items: original ?? [], originalOrder: original ?? [] };
  if (original !== undefined) return mergeListByRules(original, wanted, rules, false);
  const items = withoutDirectives(wanted, { dropsNulls: false });
  return { items: Array.isArray(items) ? items : [], originalOrder: [] };
}

function mergeListByRules(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  { schema, strategy, mergeKey }: MergeRules,
  isDeletion: boolean,
): MergedList | PatchProblem {
  if (strategy !== 'merge' && !isDeletion) return { items: patch, originalOrder: original };
  return mergeLists({ original, patch, schema, mergeKey, isDeletion, mergeItem: mergeObject });
}
