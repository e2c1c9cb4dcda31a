/**
 * What an update of any kind leaves in managedFields. No object has more than ten managers by update:
 * of more, the oldest become one, named `ancient-changes`, for each version.
 *
 * In Kubernetes: Update of the layers in apimachinery/pkg/util/managedfields/internal, among them
 * capManagersManager.
 */
import type { ManagedFieldsEntry } from '../generated/kinds/meta-v1.ts';
import { sliced, type Steps, type TypedObject } from '../merge/converting.ts';
import type { Comparison } from '../merge/compare-values.ts';
import {
  difference,
  type FieldSet,
  isEmptySet,
  isSubset,
  NO_FIELDS,
  union,
  unionOfAll,
} from '../merge/field-set.ts';
import type { OwnedFields } from '../merge/managers.ts';
import { compareTyped, updateOwners } from '../merge/updater.ts';
import { type JsonObject, type JsonValue, objectAt, stringAt } from '../json/json.ts';
import { forEachEntry, remembered, rememberedOf, someItem } from '../json/work-in-slices.ts';
import {
  compareTimes,
  decodeEntries,
  encodeEntries,
  isReset,
  type Managed,
  managerId,
  type ManagerName,
  NOTHING_MANAGED,
} from './managed-entries.ts';
import { managedFieldsOf, mistakeIn, ownFields } from './managed-objects.ts';
import type { ManagedResource, ManagedUpdate } from './managed-resource.ts';
import { withoutUnmanagedFields } from './unmanaged-fields.ts';
import { entriesOfChanged, entriesOfNew } from './usual-update.ts';
import { sortedItems } from '../json/long-values.ts';
import { compareGoStrings } from '../json/go-format.ts';

/** Stands for the writer while it is found out what it writes; no identifier looks like it. */
const WRITER = 'current-operation';

/** undefined: there are no managers, or they cannot be known any more. */
export function* updateSteps(
  resource: ManagedResource,
  update: ManagedUpdate,
): Steps<ManagedFieldsEntry[] | undefined> {
  const { live: stored, object, manager, now } = update;
  const live = stored ?? resource.emptyObject();
  const sides = yield* sliced(() => sidesOf(resource, live, object));
  if (typeof sides === 'string') return undefined;
  const usual = yield* sliced(() => usualEntries(resource, update, sides));
  if (usual !== undefined) return usual;
  const managed = yield* sliced(() => managedBefore(resource, live, object));
  const isNew = stringAt(objectAt(live, 'metadata'), 'uid') === '';
  // An object without managers stays like that, until it is applied.
  if (managed.owners.size === 0 && !isNew) return undefined;
  const updated = yield* recordUpdate(resource, { sides, managed, manager, now });
  if (typeof updated === 'string') return undefined;
  return yield* sliced(() => encodeEntries(updated, resource.typed));
}

function usualEntries(
  resource: ManagedResource,
  { live, object, manager, now }: ManagedUpdate,
  { comparison, live: { type } }: Sides,
): ManagedFieldsEntry[] | undefined {
  const { typed } = resource;
  const name = nameOfUpdate(resource, manager);
  const sent = managedFieldsOf(object);
  const before = live === undefined ? undefined : managedFieldsOf(live);
  const write = { before, sent, type, comparison, name, now, typed };
  return live === undefined ? entriesOfNew(write) : entriesOfChanged(write);
}

/**
 * A client that sends managedFields says which manager has what; one that sends none, or what is none,
 * leaves it as it is.
 */
function managedBefore(
  { subresource }: ManagedResource,
  live: JsonObject,
  object: JsonObject,
): Managed {
  const sent: JsonValue | undefined = managedFieldsOf(object);
  if (subresource === '') {
    if (isReset(sent)) return NOTHING_MANAGED;
    const decoded = decodeEntries(sent);
    if (decoded.ok && decoded.managed.owners.size > 0) return decoded.managed;
  }
  const decoded = decodeEntries(managedFieldsOf(live));
  return decoded.ok ? decoded.managed : NOTHING_MANAGED;
}

/** Both objects without their managedFields, and what is different, without what is reset. */
interface Sides {
  readonly live: TypedObject;
  readonly object: TypedObject;
  readonly comparison: Comparison;
}

interface Recording {
  readonly sides: Sides;
  readonly managed: Managed;
  readonly manager: string;
  readonly now: string;
}

/** The managers after an update; a text: why they cannot be known. */
export function* recordUpdate(
  resource: ManagedResource,
  { sides, managed, manager, now }: Recording,
): Steps<Managed | string> {
  const updated = yield* updateOwners({
    managers: managed.owners,
    manager: WRITER,
    filters: resource.resetFields,
    ...sides,
  });
  if (updated.outcome === 'failed') return updated.message;
  const { managers: owners } = updated;
  const written = owners.get(WRITER);
  owners.delete(WRITER);
  const next = { ...managed, owners };
  const set = yield* sliced(() =>
    written === undefined ? NO_FIELDS : withoutUnmanagedFields(written.set),
  );
  if (written === undefined || isEmptySet(set)) return yield* capped(next);
  const name = nameOfUpdate(resource, manager);
  const id = managerId(name);
  const own = yield* sliced(() => regained(managed.owners.get(id), owners.get(id), set));
  owners.set(id, { ...written, set: own });
  const names = new Map(managed.names).set(id, name);
  const times = new Map(managed.times).set(id, now);
  return yield* capped({ ...next, names, times });
}

function* capped(managed: Managed): Steps<Managed> {
  return yield* sliced(() => capManagers(managed));
}

/**
 * What the writer has left and what it wrote; the very set it had before, where it got back no
 * more than it lost.
 */
function regained(
  before: OwnedFields | undefined,
  left: OwnedFields | undefined,
  written: FieldSet,
): FieldSet {
  const rest = left?.set ?? NO_FIELDS;
  const isAsBefore =
    before !== undefined &&
    isSubset(written, before.set) &&
    isSubset(difference(before.set, rest), written);
  return isAsBefore ? before.set : union(rest, written);
}

/** A text: why they cannot be compared. */
export function sidesOf(
  resource: ManagedResource,
  live: JsonObject,
  object: JsonObject,
): Sides | string {
  const sides = remembered(() => typedSides(resource, live, object));
  if (typeof sides === 'string') return sides;
  return { comparison: compareTyped(sides.live, sides.object, resource.resetFields), ...sides };
}

type TypedSides = Omit<Sides, 'comparison'>;

function typedSides(
  resource: ManagedResource,
  live: JsonObject,
  object: JsonObject,
): TypedSides | string {
  const type = resource.mergeTypeOf(resource.apiVersion);
  if (type === undefined) return `no corresponding type for ${resource.apiVersion}`;
  const before = ownFields(resource, live, type);
  const after = ownFields(resource, object, type);
  const mistake =
    mistakeIn(resource, after.object, type, { allowDuplicates: true }) ??
    mistakeIn(resource, before.object, type, { allowDuplicates: true });
  return mistake ?? { live: before, object: after };
}

function nameOfUpdate({ apiVersion, subresource }: ManagedResource, manager: string): ManagerName {
  return {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    subresource,
  };
}

const UPDATERS_MAX = 10;

export function capManagers(managed: Managed): Managed {
  const updaters = rememberedOf([{ length: managed.owners.size }], () =>
    [...managed.owners].filter(([, { applied }]) => !applied),
  );
  if (updaters.length <= UPDATERS_MAX) return managed;
  const { gathered, ...capped } = cappedAt(managed, updaters);
  forEachEntry(gathered, (bucket, sets) => {
    const owned = capped.owners.get(bucket);
    if (owned !== undefined) capped.owners.set(bucket, { ...owned, set: unionOfAll(sets) });
  });
  return capped;
}

/** Without the oldest, whose sets are gathered. */
function cappedAt(managed: Managed, updaters: readonly (readonly [string, OwnedFields])[]): Capped {
  const oldestFirst = sortedItems(updaters, ([left], [right]) => compareAge(managed, left, right));
  const capped = remembered(() => ({
    gathered: new Map<string, FieldSet[]>(),
    ...managed,
    names: new Map(managed.names),
    owners: new Map(managed.owners),
    times: new Map(managed.times),
  }));
  const firstOfVersion = remembered(() => new Map<string, string>());
  const count = remembered(() => ({ left: updaters.length }));
  someItem(oldestFirst, ([id, owned]) => {
    const first = firstOfVersion.get(owned.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owned.apiVersion, id);
    } else {
      moveToBucket(capped, { id, owned, first });
      count.left -= 1;
    }
    return count.left <= UPDATERS_MAX;
  });
  return capped;
}

function compareAge({ times }: Managed, left: string, right: string): number {
  return (
    compareTimes(times.get(left) ?? '', times.get(right) ?? '') || compareGoStrings(left, right)
  );
}

interface Capped extends Managed {
  readonly names: Map<string, ManagerName>;
  readonly owners: Map<string, OwnedFields>;
  readonly times: Map<string, string>;
  /** What each bucket is put together of in the end: the union of one after another is quadratic. */
  readonly gathered: Map<string, FieldSet[]>;
}

interface Moved {
  readonly id: string;
  readonly owned: OwnedFields;
  /** The oldest of the version, with which the bucket begins. */
  readonly first: string;
}

function moveToBucket(capped: Capped, { id, owned, first }: Moved): void {
  const { names, owners, times, gathered } = capped;
  const name: ManagerName = {
    manager: 'ancient-changes',
    operation: 'Update',
    apiVersion: owned.apiVersion,
    subresource: '',
  };
  const bucket = managerId(name);
  names.set(bucket, name);
  const begun = owners.get(bucket) ?? owners.get(first);
  if (!owners.has(bucket)) owners.delete(first);
  const sets = gathered.get(bucket) ?? (begun === undefined ? [] : [begun.set]);
  sets.push(owned.set);
  gathered.set(bucket, sets);
  owners.set(bucket, owned);
  if (owners.delete(id) && id === bucket) gathered.delete(bucket);
  const time = times.get(id);
  if (time === undefined) times.delete(bucket);
  else times.set(bucket, time);
}
