/**
 * What an update of any kind leaves in managedFields.
 *
 * In Kubernetes: Update of the layers in apimachinery/pkg/util/managedfields/internal.
 */
import type { Steps, TypedObject } from '../merge/converting.ts';
import {
  difference,
  fieldSetOf,
  isEmptySet,
  isSubset,
  NO_FIELDS,
  union,
  type FieldSet,
} from '../merge/field-set.ts';
import type { OwnedFields } from '../merge/managers.ts';
import { updateOwners } from '../merge/updater.ts';
import { objectAt, stringAt, type JsonObject, type JsonValue } from '../meta/json.ts';
import { capManagers } from './cap-managers.ts';
import {
  decodeEntries,
  encodeEntries,
  isReset,
  managerId,
  NOTHING_MANAGED,
  type Managed,
  type ManagerName,
} from './managed-entries.ts';
import { managedFieldsOf, mistakeIn, ownVersion } from './managed-objects.ts';
import type { ManagedResource, ManagedUpdate } from './managed-resource.ts';

/** Stands for the writer while it is found out what it writes; no identifier looks like it. */
const WRITER = 'current-operation';

/** What identifies an object, and what the server sets, is nobody's. */
const NOBODYS_FIELDS = fieldSetOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ['f:metadata', 'f:name'],
  ['f:metadata', 'f:namespace'],
  ['f:metadata', 'f:creationTimestamp'],
  ['f:metadata', 'f:selfLink'],
  ['f:metadata', 'f:uid'],
  ['f:metadata', 'f:clusterName'],
  ['f:metadata', 'f:generation'],
  ['f:metadata', 'f:managedFields'],
  ['f:metadata', 'f:resourceVersion'],
);

export function withoutNobodysFields(set: FieldSet): FieldSet {
  return difference(set, NOBODYS_FIELDS);
}

/** undefined: nobody manages anything, or it cannot be known any more who does. */
export function* updateSteps(
  resource: ManagedResource,
  { live: stored, object, manager, now }: ManagedUpdate,
): Steps<JsonObject[] | undefined> {
  const live = stored ?? resource.emptyObject();
  const managed = managedBefore(resource, live, object);
  const isNew = stringAt(objectAt(live, 'metadata'), 'uid') === '';
  // Once nobody manages an object it stays like that, until it is applied.
  if (managed.owners.size === 0 && !isNew) return undefined;
  const updated = yield* recordUpdate(resource, { live, object, managed, manager, now });
  return typeof updated === 'string' ? undefined : encodeEntries(updated, resource.typed);
}

/**
 * A client that sends managedFields says who manages what; one that sends none, or what is none,
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

export interface Recording {
  readonly live: JsonObject;
  readonly object: JsonObject;
  readonly managed: Managed;
  readonly manager: string;
  readonly now: string;
}

/** Who manages what after an update; a text: why that cannot be known. */
export function* recordUpdate(
  resource: ManagedResource,
  { live, object, managed, manager, now }: Recording,
): Steps<Managed | string> {
  const typed = typedSides(resource, live, object);
  if (typeof typed === 'string') return typed;
  const updated = yield* updateOwners({
    ...typed,
    managers: managed.owners,
    manager: WRITER,
    filters: resource.resetFields,
  });
  if (updated.outcome === 'failed') return updated.message;
  const { managers: owners } = updated;
  const written = owners.get(WRITER);
  owners.delete(WRITER);
  const next = { ...managed, owners };
  const set = written === undefined ? NO_FIELDS : withoutNobodysFields(written.set);
  if (written === undefined || isEmptySet(set)) return capManagers(next);
  const name = nameOfUpdate(resource, manager);
  const id = managerId(name);
  owners.set(id, { ...written, set: regained(managed.owners.get(id), owners.get(id), set) });
  const names = new Map(managed.names).set(id, name);
  const times = new Map(managed.times).set(id, now);
  return capManagers({ ...next, names, times });
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

function typedSides(
  resource: ManagedResource,
  live: JsonObject,
  object: JsonObject,
): { readonly live: TypedObject; readonly object: TypedObject } | string {
  const type = resource.mergeTypeOf(resource.apiVersion);
  if (type === undefined) return `no corresponding type for ${resource.apiVersion}`;
  const before = ownVersion(resource, live, type);
  const after = ownVersion(resource, object, type);
  return (
    mistakeIn(resource, after.object, type, { allowDuplicates: true }) ??
    mistakeIn(resource, before.object, type, { allowDuplicates: true }) ?? {
      live: before,
      object: after,
    }
  );
}

function nameOfUpdate({ apiVersion, subresource }: ManagedResource, manager: string): ManagerName {
  return {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    subresource,
  };
}
