/**
 * Server-side apply.
 *
 * In Kubernetes: Apply of the layers in apimachinery/pkg/util/managedfields/internal.
 */
import type { ManagedFieldsEntry } from '../generated/kinds/meta-v1.ts';
import { sliced, type Steps, type TypedObject } from '../merge/converting.ts';
import { setOwned, type ConflictingFields } from '../merge/managers.ts';
import { applyOver } from '../merge/updater.ts';
import { objectAt, stringAt, type JsonObject } from '../json/json.ts';
import { DEPTH_MAX, isDeeperThan } from '../json/json-tree.ts';
import { reportConflicts } from './apply-conflicts.ts';
import { conflictsWithOthers, KUBECTL, withLastApplied } from './last-applied.ts';
import {
  decodeEntries,
  encodeEntries,
  managerId,
  type Managed,
  type ManagerName,
} from './managed-entries.ts';
import {
  describeKind,
  describeObject,
  managedFieldsOf,
  mistakeIn,
  ownVersion,
  withoutManagedFields,
} from './managed-objects.ts';
import type { Applied, ManagedApply, ManagedResource } from './managed-resource.ts';
import { withoutUnmanagedFields } from './unmanaged-fields.ts';
import { recordUpdate, sidesOf } from './update-steps.ts';

/** The writer of what is there when an object is applied to that has no managers. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

type Refused = Extract<Applied, { readonly ok: false }>;

export function* applySteps(resource: ManagedResource, apply: ManagedApply): Steps<Applied> {
  const { applied, manager } = apply;
  const live = apply.live ?? resource.emptyObject();
  const decoded = yield* sliced(() => decodeEntries(managedFieldsOf(live)));
  if (!decoded.ok) return unknown(`failed to decode managed fields: ${decoded.message}`);
  if (yield* sliced(() => isDeeperThan(applied, DEPTH_MAX)))
    return badRequest('exceeded max depth');
  if (!isOfKind(resource, applied)) {
    return badRequest(`invalid object type: ${describeKind(applied)}`);
  }
  const attempt = { managed: decoded.managed, ...apply, live };
  const result = yield* applyOnce(resource, attempt);
  if (result.outcome !== 'conflict') return yield* sliced(() => finished(resource, result, apply));
  const { conflicts, managed } = result;
  if (manager !== KUBECTL) return conflict(conflicts, managed);
  const others = conflictsWithOthers(conflicts, result.live);
  if (others.size > 0) return conflict(others, managed);
  const forced = yield* applyOnce(resource, { ...attempt, force: true });
  return yield* sliced(() => finished(resource, forced, apply));
}

function unknown(message: string): Refused {
  return { ok: false, reason: 'Unknown', message };
}

function badRequest(message: string): Refused {
  return { ok: false, reason: 'BadRequest', message };
}

function conflict(conflicts: ConflictingFields, managed: Managed): Refused {
  return { ok: false, reason: 'Conflict', ...reportConflicts(conflicts, managed) };
}

function isOfKind({ apiVersion, kind }: ManagedResource, applied: JsonObject): boolean {
  return stringAt(applied, 'apiVersion') === apiVersion && stringAt(applied, 'kind') === kind;
}

interface Attempt extends ManagedApply {
  readonly live: JsonObject;
  readonly managed: Managed;
}

type Outcome =
  | { readonly outcome: 'applied'; readonly object: JsonObject; readonly managed: Managed }
  | {
      readonly outcome: 'conflict';
      readonly conflicts: ConflictingFields;
      readonly managed: Managed;
      readonly live: TypedObject;
    }
  | { readonly outcome: 'refused'; readonly refused: Refused };

function refuse(refused: Refused): Outcome {
  return { outcome: 'refused', refused };
}

function finished(
  { typed }: ManagedResource,
  result: Outcome,
  { applied, manager }: ManagedApply,
): Applied {
  if (result.outcome === 'refused') return result.refused;
  if (result.outcome === 'conflict') return conflict(result.conflicts, result.managed);
  const object = manager === KUBECTL ? withLastApplied(result.object, applied) : result.object;
  return { ok: true, object: withEntries(object, encodeEntries(result.managed, typed)) };
}

function withEntries(object: JsonObject, entries: ManagedFieldsEntry[] | undefined): JsonObject {
  if (entries === undefined) return object;
  return { ...object, metadata: { ...objectAt(object, 'metadata'), managedFields: entries } };
}

function* applyOnce(resource: ManagedResource, attempt: Attempt): Steps<Outcome> {
  const { live, applied, force, now } = attempt;
  const managed = yield* managedSoFar(resource, attempt);
  if (typeof managed === 'string') {
    return refuse(unknown(`failed to create manager for existing fields: ${managed}`));
  }
  if (Array.isArray(managedFieldsOf(applied))) {
    return refuse(badRequest('metadata.managedFields must be nil'));
  }
  const sides = yield* sliced(() => typedSides(resource, live, applied));
  if (typeof sides === 'string') return refuse(unknown(sides));
  const name = nameOfApply(resource, attempt.manager);
  const manager = managerId(name);
  const names = new Map(managed.names).set(manager, name);
  const result = yield* applyOver({
    managers: managed.owners,
    manager,
    force,
    filters: resource.resetFields,
    ...sides,
  });
  if (result.outcome === 'failed') return refuse(unknown(result.message));
  if (result.outcome === 'conflict') {
    const { conflicts } = result;
    return { outcome: 'conflict', conflicts, managed: { ...managed, names }, live: sides.live };
  }
  const owners = result.managers;
  const own = owners.get(manager);
  if (own !== undefined) {
    const set = yield* sliced(() => withoutUnmanagedFields(own.set));
    setOwned(owners, manager, { ...own, set });
  }
  const object = result.object?.object ?? withoutManagedFields(live);
  const times =
    result.object === undefined ? managed.times : new Map(managed.times).set(manager, now);
  return { outcome: 'applied', object, managed: { ...managed, names, owners, times } };
}

/** What is there without managers was written by a client all the same. */
function* managedSoFar(
  resource: ManagedResource,
  { live, managed, now }: Attempt,
): Steps<Managed | string> {
  if (managed.owners.size > 0) return managed;
  const sides = yield* sliced(() => sidesOf(resource, resource.emptyObject(), live));
  if (typeof sides === 'string') return sides;
  return yield* recordUpdate(resource, { sides, managed, manager: BEFORE_FIRST_APPLY, now });
}

function typedSides(
  resource: ManagedResource,
  stored: JsonObject,
  sent: JsonObject,
): { readonly live: TypedObject; readonly applied: TypedObject } | string {
  const type = resource.mergeTypeOf(resource.apiVersion);
  if (type === undefined) return `no corresponding type for ${resource.apiVersion}`;
  const applied = ownVersion(resource, sent, type);
  const mistake = mistakeIn(resource, applied.object, type);
  if (mistake !== undefined) {
    return `failed to create typed patch object (${describeObject(sent)}): ${mistake}`;
  }
  const live = ownVersion(resource, stored, type);
  const stale = mistakeIn(resource, live.object, type, { allowDuplicates: true });
  if (stale !== undefined) {
    return `failed to create typed live object (${describeObject(stored)}): ${stale}`;
  }
  return { live, applied };
}

function nameOfApply({ subresource }: ManagedResource, manager: string): ManagerName {
  return {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Apply',
    apiVersion: '',
    subresource,
  };
}
