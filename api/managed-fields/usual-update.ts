/**
 * The two writes that nearly all are, seen through with one comparison and no other step: the first
 * of an object, which makes one manager, and one that changes values of fields its writer has
 * alone, which gives its entry another time and leaves the rest.
 *
 * The surprise is how little is asked of the stored entries: this server wrote them, in canonical
 * form and in order. Whatever looks unusual is left to the steps in update-steps.ts, which say the
 * same of every write that is decided here.
 */
import { asJson, sortFields, storedSet } from '../merge/fields-v1.ts';
import { doesIntersect, isEmptySet, isSubset, union, type FieldSet } from '../merge/field-set.ts';
import { isSame, type Comparison } from '../merge/compare-values.ts';
import { reconciledWithType } from '../merge/typed-field-sets.ts';
import type { MergeType } from '../merge/merge-type.ts';
import type { ManagedFieldsEntry } from '../generated/kinds/meta-v1.ts';
import { isJsonObject, type JsonValue } from '../json/json.ts';
import { isEqualJson } from '../json/json-tree.ts';
import { isKnownValue } from '../json/known-texts.ts';
import { compareEntries, entryOf, type ManagerName } from './managed-entries.ts';
import { UNMANAGED_FIELDS, withoutUnmanagedFields } from './unmanaged-fields.ts';

/** Above it the oldest entries are put together. */
const ENTRIES_MAX = 10;

export interface UsualWrite {
  /** As stored; undefined: the object is new. */
  readonly before: JsonValue | undefined;
  /** As the client sent them. */
  readonly sent: JsonValue | undefined;
  readonly type: MergeType;
  /** Of the stored object and the new one, without what may not be managed. */
  readonly comparison: Comparison;
  readonly name: ManagerName;
  readonly now: string;
  /** Fields have an order of their own. */
  readonly typed: boolean;
}

/** The entries of a new object that has none yet; undefined: not so usual, or nothing is managed. */
export function entriesOfNew(write: UsualWrite): ManagedFieldsEntry[] | undefined {
  if (write.sent !== undefined) return undefined;
  const { modified, added } = write.comparison;
  const set = withoutUnmanagedFields(union(modified, added));
  if (isEmptySet(set)) return undefined;
  return [entryFor(write, write.typed ? sortFields(set) : set)];
}

/** The entries after a change of values; undefined: not so usual. */
export function entriesOfChanged(write: UsualWrite): ManagedFieldsEntry[] | undefined {
  const { before, sent, comparison } = write;
  const entries = usualEntries(before, write);
  if (entries === undefined) return undefined;
  if (sent !== undefined && !isEqualJson(sent, before)) return undefined;
  if (isSame(comparison)) return entries;
  const { removed, modified, added } = comparison;
  if (!isEmptySet(withoutUnmanagedFields(added))) return undefined;
  const written = withoutUnmanagedFields(modified);
  let own: number | undefined;
  for (const [index, entry] of entries.entries()) {
    const set = fieldsOf(entry);
    if (doesIntersect(set, removed) || doesIntersect(set, UNMANAGED_FIELDS)) return undefined;
    if (isOf(entry, write.name)) own = index;
    else if (doesIntersect(set, written)) return undefined;
  }
  if (isEmptySet(written)) return entries;
  const entry = own === undefined ? undefined : entries[own];
  if (own === undefined || entry === undefined) return undefined;
  if (!isSubset(written, fieldsOf(entry))) return undefined;
  const changed = entries.with(own, entryFor(write, fieldsOf(entry)));
  return changed.length < 2 ? changed : changed.sort(compareEntries);
}

/** Those that say what they say in the version of the write; a write of a scale may leave two of one manager. */
function usualEntries(
  before: JsonValue | undefined,
  { name, type }: UsualWrite,
): ManagedFieldsEntry[] | undefined {
  if (!Array.isArray(before) || before.length === 0 || before.length > ENTRIES_MAX)
    return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const entry of before) {
    if (!isJsonObject(entry) || entry['apiVersion'] !== name.apiVersion) return undefined;
    const set = entry['fieldsV1'];
    if (!isJsonObject(set) || !isInLine(fieldsOf(entry), type)) return undefined;
    entries.push(entry);
  }
  return hasTwoOfOne(entries) ? undefined : entries;
}

/** Sets never change, so what was in line with a type stays so. */
const inLine = new WeakMap<FieldSet, MergeType>();

function isInLine(set: FieldSet, type: MergeType): boolean {
  const isKnown = isKnownValue(asJson(set));
  if (isKnown && inLine.get(set) === type) return true;
  if (reconciledWithType(set, type) !== set) return false;
  if (isKnown) inLine.set(set, type);
  return true;
}

function hasTwoOfOne(entries: readonly ManagedFieldsEntry[]): boolean {
  for (const [at, entry] of entries.entries())
    for (let other = 0; other < at; other += 1) if (isOf(entry, entries[other] ?? {})) return true;
  return false;
}

function isOf(entry: ManagedFieldsEntry, name: ManagedFieldsEntry): boolean {
  return (
    (entry.manager ?? '') === (name.manager ?? '') &&
    entry.operation === name.operation &&
    (entry.subresource ?? '') === (name.subresource ?? '')
  );
}

function fieldsOf(entry: ManagedFieldsEntry): FieldSet {
  return storedSet(entry.fieldsV1);
}

function entryFor({ name, now }: UsualWrite, set: FieldSet): ManagedFieldsEntry {
  return entryOf(name, { set, apiVersion: name.apiVersion, applied: false }, now);
}
