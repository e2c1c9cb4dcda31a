/**
 * Takes out of a merged object what its manager applied last time and does not apply any more,
 * unless others own it. What is owned as a whole is not looked into, and what has nothing left
 * becomes null.
 *
 * In Kubernetes: prune and addBack…, sigs.k8s.io/structured-merge-diff/merge;
 * TypedValue.RemoveItems, sigs.k8s.io/structured-merge-diff/typed.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { flatMapItems, forEachEntry, forEachKey, remembered } from '../json/work-in-slices.ts';
import { inVersion, sliced, type Steps, type TypedObject } from './converting.ts';
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  isMember,
  isSubset,
  NO_FIELDS,
  union,
  unionOfAll,
} from './field-set.ts';
import type { Managers, OwnedFields } from './managers.ts';
import { toNamedFieldSet, withNamedFields } from './typed-field-sets.ts';
import { setOwn } from '../json/own-property.ts';
import { anyElement } from './list-elements.ts';
import {
  fieldTypeOf,
  formOf,
  heldForm,
  type MergeList,
  type MergeMap,
  type MergeType,
} from './merge-type.ts';
import { fieldElement } from './path-element.ts';

interface PruneFailed {
  readonly outcome: 'failed';
  readonly message: string;
}

interface PruneContext {
  /** With what the manager applies now. */
  readonly managers: Managers;
  /** The fields that it applies now, as they are in the applied object. */
  readonly applied: FieldSet;
  /** What it applied last time. */
  readonly last: OwnedFields | undefined;
}

/** In the version of `merged`. */
export function* prune(
  merged: TypedObject,
  { managers, applied, last }: PruneContext,
): Steps<TypedObject | PruneFailed> {
  if (last === undefined || isEmptySet(last.set)) return merged;
  const { set: before, apiVersion } = last;
  if (apiVersion === merged.apiVersion && (yield* sliced(() => isSubset(before, applied)))) {
    return merged;
  }
  const then = yield* inVersion(merged, apiVersion);
  if (!then.ok) {
    if (then.isMissing) return merged;
    return failed(`failed to convert merged object to last applied version: ${then.message}`);
  }
  const { typed } = then;
  const lastFields = yield* sliced(() => withNamedFields(before, typed.type));
  const bare = yield* sliced(() => removed(typed, lastFields));
  const owned = yield* addBackOwned(typed, bare, managers);
  if ('outcome' in owned) return owned;
  const whole = yield* addBackDangling(typed, owned, lastFields);
  if ('outcome' in whole) return whole;
  const pruned = yield* inVersion(whole, merged.apiVersion);
  return pruned.ok ? pruned.typed : failed(pruned.message);
}

function failed(message: string): PruneFailed {
  return { outcome: 'failed', message: `failed to prune fields: ${message}` };
}

function removed(typed: TypedObject, fields: FieldSet): TypedObject {
  if (isEmptySet(fields)) return typed;
  const object = removeFields(typed.object, fields, typed.type);
  return { ...typed, object: isJsonObject(object) ? object : {} };
}

/** What is gone and has an owner comes back, version by version, that of `bare` first. */
function* addBackOwned(
  merged: TypedObject,
  bare: TypedObject,
  managers: Managers,
): Steps<TypedObject | PruneFailed> {
  const byVersion = yield* sliced(() => ownedByVersion(managers));
  const versions = [...byVersion.keys()].sort();
  const first = versions.filter((version) => version === merged.apiVersion);
  let [all, some] = [merged, bare];
  for (const version of [...first, ...versions.filter((one) => one !== merged.apiVersion)]) {
    const allThere = yield* inVersion(all, version);
    if (!allThere.ok && !allThere.isMissing) {
      return failed(
        `failed add back owned items: failed to convert merged object at version ${version}: ${allThere.message}`,
      );
    }
    if (!allThere.ok) continue;
    all = allThere.typed;
    const someThere = yield* inVersion(some, version);
    if (!someThere.ok && !someThere.isMissing) {
      return failed(
        `failed add back owned items: failed to convert pruned object at version ${version}: ${someThere.message}`,
      );
    }
    if (!someThere.ok) continue;
    some = yield* sliced(withOwnedOf(all, someThere.typed, byVersion.get(version) ?? NO_FIELDS));
  }
  return some;
}

function ownedByVersion(managers: Managers): Map<string, FieldSet> {
  const gathered = remembered(() => {
    const sets = new Map<string, FieldSet[]>();
    for (const { apiVersion, set } of managers.values()) {
      const some = sets.get(apiVersion);
      if (some === undefined) sets.set(apiVersion, [set]);
      else some.push(set);
    }
    return sets;
  });
  const byVersion = remembered(() => new Map<string, FieldSet>());
  forEachEntry(gathered, (apiVersion, sets) => {
    byVersion.set(apiVersion, unionOfAll(sets));
  });
  return byVersion;
}

/** Of `all` what is in `some`, and what is owned. */
function withOwnedOf(all: TypedObject, some: TypedObject, owned: FieldSet): () => TypedObject {
  return () => {
    const kept = union(namedFieldsOf(some), withNamedFields(owned, all.type));
    return removed(all, difference(namedFieldsOf(all), kept));
  };
}

/** What is gone without its manager having applied it comes back too. */
function* addBackDangling(
  merged: TypedObject,
  pruned: TypedObject,
  last: FieldSet,
): Steps<TypedObject | PruneFailed> {
  const there = yield* inVersion(pruned, merged.apiVersion);
  if (!there.ok) {
    if (there.isMissing) return merged;
    const why = 'failed to convert pruned object to last applied version';
    return failed(`failed add back dangling items: ${why}: ${there.message}`);
  }
  const { typed } = there;
  return yield* sliced(() => {
    const gone = difference(namedFieldsOf(merged), namedFieldsOf(typed));
    return removed(merged, intersection(gone, last));
  });
}

/** Asked for the merged object again and again. */
const namedFields = new WeakMap<TypedObject, FieldSet>();

function namedFieldsOf(typed: TypedObject): FieldSet {
  return remembered(() => {
    let set = namedFields.get(typed);
    if (set === undefined) {
      set = toNamedFieldSet(typed.object, typed.type);
      namedFields.set(typed, set);
    }
    return set;
  });
}

/** The value must be valid. It is not changed, and the result shares parts with it. */
export function removeFields(value: JsonValue, fields: FieldSet, type: MergeType): JsonValue {
  const form = heldForm(type, formOf(type, value));
  if (form === 'map' && type.map !== undefined) {
    const isWhole = type.map.atomic || !isJsonObject(value);
    return isWhole ? null : removeFromMap(value, fields, type.map);
  }
  if (form === 'list' && type.list !== undefined) {
    const isWhole = type.list.relation === 'atomic' || !Array.isArray(value);
    return isWhole ? null : removeFromList(value, fields, type.list);
  }
  return value;
}

function removeFromMap(object: JsonObject, fields: FieldSet, map: MergeMap): JsonValue {
  const kept = remembered(() => ({ object: {}, isEmpty: true, isChanged: false }));
  forEachKey(object, (name) => {
    const value = object[name];
    if (value === undefined) return;
    const left = withoutFields(value, fields[fieldElement(name)], fieldTypeOf(map, name));
    if (left !== value) kept.isChanged = true;
    if (left === undefined) return;
    setOwn(kept.object, name, left);
    kept.isEmpty = false;
  });
  if (kept.isEmpty) return null;
  return kept.isChanged ? kept.object : object;
}

function removeFromList(items: readonly JsonValue[], fields: FieldSet, list: MergeList): JsonValue {
  const result = flatMapItems(items, (item) => {
    const kept = withoutFields(item, fields[anyElement(list, item)], list.items);
    return kept === undefined ? [] : [kept];
  });
  return result.length === 0 ? null : [...result];
}

/** undefined: the whole value goes. */
function withoutFields(
  value: JsonValue,
  node: FieldSet | undefined,
  type: MergeType | undefined,
): JsonValue | undefined {
  if (node === undefined || type === undefined) return value;
  return isMember(node) ? undefined : removeFields(value, node, type);
}
