/**
 * Takes out of a merged object what its manager applied last time and does not apply any more,
 * unless others own it.
 *
 * In Kubernetes: prune and addBack…, sigs.k8s.io/structured-merge-diff/merge.
 */
import { isJsonObject } from '../json/json.ts';
import { forEachEntry, remembered } from '../json/work-in-slices.ts';
import { inVersion, sliced, type Steps, type TypedObject } from './converting.ts';
import {
  difference,
  intersection,
  isEmptySet,
  isSubset,
  NO_FIELDS,
  union,
  unionOfAll,
  type FieldSet,
} from './field-set.ts';
import type { Managers, OwnedFields } from './managers.ts';
import { removeFields } from './remove-fields.ts';
import { toNamedFieldSet } from './to-field-set.ts';
import { withNamedFields } from './typed-field-sets.ts';

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
