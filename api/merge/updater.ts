/**
 * What a write means for the owners of fields of an object: which are lost, which are won, and
 * which stand in the way of an apply.
 *
 * In Kubernetes: Updater, sigs.k8s.io/structured-merge-diff/merge.
 */
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { isEqualJson } from '../json/json-tree.ts';
import { setOwn } from '../json/own-property.ts';
import { forEachEntry, remembered } from '../json/work-in-slices.ts';
import { compareValues, isSame, type Comparison } from './compare-values.ts';
import { inVersion, sliced, type Converted, type Steps, type TypedObject } from './converting.ts';
import {
  difference,
  doesIntersect,
  intersection,
  isEmptySet,
  NO_FIELDS,
  union,
  type FieldSet,
} from './field-set.ts';
import { setOwned, type ConflictingFields, type Managers, type OwnedFields } from './managers.ts';
import { mergeValues } from './merge-values.ts';
import { prune } from './prune.ts';
import { reconciledWithType, toFieldSet } from './typed-field-sets.ts';
import { validateValue } from './validate-value.ts';

/** By apiVersion, which of some fields may be owned; no filter: every one. */
export type FieldFilters = ReadonlyMap<string, OwnableFields>;

interface OwnableFields {
  (set: FieldSet): FieldSet;
  /** Fields of the object itself of which nothing may be owned. */
  readonly leavesOut?: readonly string[];
}

export interface Update {
  readonly live: TypedObject;
  /** In the same version as `live`. */
  readonly object: TypedObject;
  /** Of the two, filtered. */
  readonly comparison: Comparison;
  readonly managers: Managers;
  readonly manager: string;
  readonly filters: FieldFilters;
}

export interface Apply {
  readonly live: TypedObject;
  /** In the same version as `live`. */
  readonly applied: TypedObject;
  readonly managers: Managers;
  readonly manager: string;
  readonly force: boolean;
  readonly filters: FieldFilters;
}

/** Something could not be converted, or is not as its type has it. */
export interface Failed {
  readonly outcome: 'failed';
  readonly message: string;
}

export type Updated =
  | {
      readonly outcome: 'updated';
      /** The caller's, to go on with. */
      readonly managers: Map<string, OwnedFields>;
    }
  | Failed;

export type Applied =
  | {
      readonly outcome: 'applied';
      /** undefined: nothing but the ownership changed. */
      readonly object: TypedObject | undefined;
      /** The caller's, to go on with. */
      readonly managers: Map<string, OwnedFields>;
    }
  | { readonly outcome: 'conflict'; readonly conflicts: ConflictingFields }
  | Failed;

const LAX = { allowDuplicates: true };

/** The manager gets whatever the update changed, and those that had it lose it. */
export function* updateOwners(update: Update): Steps<Updated> {
  const { live, object, manager, filters } = update;
  const reconciled = yield* reconcile(live, update.managers);
  if ('outcome' in reconciled) return reconciled;
  const written = yield* judgeWrite({ force: true, ...update, managers: reconciled });
  if (written.outcome !== 'written') {
    // An update that is forced has no conflicts.
    return written.outcome === 'failed' ? written : { outcome: 'updated', managers: reconciled };
  }
  const { managers, comparison } = written;
  const owned = managers.get(manager)?.set ?? NO_FIELDS;
  const filter = filters.get(object.apiVersion);
  const set = yield* sliced(() => {
    const kept = difference(owned, comparison.removed);
    const all = union(union(kept, comparison.modified), comparison.added);
    return filter === undefined ? all : filter(all);
  });
  setOwned(managers, manager, {
    set,
    apiVersion: object.apiVersion,
    applied: false,
  });
  return { outcome: 'updated', managers };
}

/** Lays the applied object over the live one, and takes out what its manager no longer applies. */
export function* applyOver(apply: Apply): Steps<Applied> {
  const { live, applied, manager, filters } = apply;
  const reconciled = yield* reconcile(live, apply.managers);
  if ('outcome' in reconciled) return reconciled;
  const last = reconciled.get(manager);
  const filter = filters.get(applied.apiVersion);
  const set = yield* sliced(() => {
    const fields = toFieldSet(applied.object, applied.type);
    return filter === undefined ? fields : filter(fields);
  });
  reconciled.set(manager, { set, apiVersion: applied.apiVersion, applied: true });
  const merged = yield* sliced(() => mergeTyped(live, applied));
  const pruned = yield* prune(merged, { managers: reconciled, applied: set, last });
  if ('outcome' in pruned) return pruned;
  // An item may be left without its key, and null.
  const mistake = yield* sliced(() =>
    pruned === merged ? undefined : validateValue(pruned.object, pruned.type, LAX),
  );
  if (mistake !== undefined) {
    return { outcome: 'failed', message: `failed to compare objects: ${mistake}` };
  }
  const write = { object: pruned, ...apply, managers: reconciled };
  const written = yield* judgeWrite(write);
  if (written.outcome !== 'written') return written;
  const isUnchanged = yield* sliced(() => isEqualJson(live.object, pruned.object));
  return {
    outcome: 'applied',
    object: isUnchanged ? undefined : pruned,
    managers: written.managers,
  };
}

function mergeTyped(live: TypedObject, applied: TypedObject): TypedObject {
  const merged = mergeValues(live.object, applied.object, live.type);
  // Two objects that are not empty give an object.
  return { ...live, object: merged as TypedObject['object'] };
}

/** The fields of all managers as they are by today's schema; whose version is unknown stays for now. */
function* reconcile(
  live: TypedObject,
  managers: Managers,
): Steps<Map<string, OwnedFields> | Failed> {
  const versions = new Map<string, Converted>([[live.apiVersion, { ok: true, typed: live }]]);
  for (const { apiVersion } of managers.values()) {
    if (versions.has(apiVersion)) continue;
    const version = yield* inVersion(live, apiVersion);
    if (!version.ok && !version.isMissing) return { outcome: 'failed', message: version.message };
    versions.set(apiVersion, version);
  }
  return yield* sliced(() => {
    const result = remembered(() => new Map<string, OwnedFields>());
    forEachEntry(managers, (manager, owned) => {
      const version = versions.get(owned.apiVersion);
      if (version?.ok !== true) return;
      const set = reconciledWithType(owned.set, version.typed.type);
      result.set(manager, set === owned.set ? owned : { ...owned, set });
    });
    return result;
  });
}

interface Write {
  readonly live: TypedObject;
  readonly object: TypedObject;
  readonly managers: ReadonlyMap<string, OwnedFields>;
  readonly manager: string;
  readonly force: boolean;
  readonly filters: FieldFilters;
  /** Of the two in their own version, filtered, where it is known already. */
  readonly comparison?: Comparison;
}

type Written =
  | {
      readonly outcome: 'written';
      readonly managers: Map<string, OwnedFields>;
      /** In the version of the request, filtered. */
      readonly comparison: Comparison;
    }
  | { readonly outcome: 'conflict'; readonly conflicts: ConflictingFields }
  | Failed;

/** Takes from every manager but the writer what the write changes or removes. */
function* judgeWrite(write: Write): Steps<Written> {
  const { object, managers, manager: writer, force } = write;
  const comparison =
    write.comparison ?? (yield* sliced(() => compareTyped(write.live, object, write.filters)));
  const versions = new Map<string, Comparison | undefined>([[object.apiVersion, comparison]]);
  for (const [manager, { apiVersion }] of managers) {
    if (manager === writer || versions.has(apiVersion)) continue;
    const compared = yield* compareInVersion(write, apiVersion);
    if (compared !== undefined && 'outcome' in compared) return compared;
    versions.set(apiVersion, compared);
  }
  const { conflicts, left } = yield* sliced(() => takeFromAll(write, versions));
  if (!force && conflicts.size > 0) return { outcome: 'conflict', conflicts };
  return { outcome: 'written', managers: left, comparison };
}

interface Taken {
  readonly conflicts: Map<string, FieldSet>;
  readonly left: Map<string, OwnedFields>;
}

/** @param versions what is different in each; managers of others are forgotten. */
function takeFromAll(
  { managers, manager: writer }: Write,
  versions: ReadonlyMap<string, Comparison | undefined>,
): Taken {
  const taken = remembered((): Taken => ({ conflicts: new Map(), left: new Map() }));
  forEachEntry(managers, (manager, owned) => {
    const compared = versions.get(owned.apiVersion);
    if (manager === writer) setOwned(taken.left, manager, owned);
    if (manager === writer || compared === undefined) return;
    const { conflict, left } = takeFrom(owned.set, compared);
    if (!isEmptySet(conflict)) taken.conflicts.set(manager, conflict);
    setOwned(taken.left, manager, left === owned.set ? owned : { ...owned, set: left });
  });
  return taken;
}

/** Most managers own nothing of what a write changes, and keep their set as it is. */
function takeFrom(
  set: FieldSet,
  { modified, added, removed }: Comparison,
): { readonly conflict: FieldSet; readonly left: FieldSet } {
  const touched = doesIntersect(set, modified) || doesIntersect(set, added);
  const conflict = touched ? intersection(set, union(modified, added)) : NO_FIELDS;
  const afterConflict = touched ? difference(set, conflict) : set;
  return { conflict, left: difference(afterConflict, removed) };
}

/** undefined: that version is not known any more. */
function* compareInVersion(
  write: Write,
  apiVersion: string,
): Steps<Comparison | Failed | undefined> {
  const live = yield* inVersion(write.live, apiVersion);
  if (!live.ok) return live.isMissing ? undefined : failedToConvert('old', live.message);
  const object = yield* inVersion(write.object, apiVersion);
  if (!object.ok) return object.isMissing ? undefined : failedToConvert('new', object.message);
  return yield* sliced(() => compareTyped(live.typed, object.typed, write.filters));
}

function failedToConvert(which: 'old' | 'new', message: string): Failed {
  return { outcome: 'failed', message: `failed to convert ${which} object: ${message}` };
}

/** What is different between two objects in the same version, without what may not be owned. */
export function compareTyped(
  live: TypedObject,
  object: TypedObject,
  filters: FieldFilters,
): Comparison {
  const { apiVersion, type } = object;
  const before = live.object;
  const after = withoutComparing(filters.get(apiVersion)?.leavesOut, {
    before,
    after: object.object,
  });
  return filtered(compareValues({ before, after }, type), { apiVersion, filters });
}

/** With the very values of the object before where what differs in them is filtered out behind the comparison. */
function withoutComparing(
  names: readonly string[] | undefined,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): JsonObject {
  const same = names?.filter((name) => isJsonObject(before[name]) && isJsonObject(after[name]));
  if (same === undefined || same.length === 0) return after;
  const compared: JsonObject = {};
  for (const name in after) {
    const value = same.includes(name) ? before[name] : after[name];
    if (value !== undefined) setOwn(compared, name, value);
  }
  return compared;
}

interface Filtering {
  readonly apiVersion: string;
  readonly filters: FieldFilters;
}

function filtered(comparison: Comparison, { apiVersion, filters }: Filtering): Comparison {
  const filter = filters.get(apiVersion);
  if (filter === undefined || isSame(comparison)) return comparison;
  return {
    removed: filter(comparison.removed),
    modified: filter(comparison.modified),
    added: filter(comparison.added),
  };
}
