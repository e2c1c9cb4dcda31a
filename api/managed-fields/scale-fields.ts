/**
 * The managedFields of a resource as its scale subresource shows them, and back: a scale has one
 * field that can be managed, `spec.replicas`, and it is the resource's number of replicas.
 *
 * In Kubernetes: ScaleHandler, apimachinery/pkg/util/managedfields.
 */
import type { ManagedFieldsEntry } from '../generated/kinds/meta-v1.ts';
import { difference, fieldSetOf, hasPath, isEmptySet } from '../merge/field-set.ts';
import type { OwnedFields } from '../merge/managers.ts';
import { fieldElement } from '../merge/path-element.ts';
import type { JsonValue } from '../json/json.ts';
import {
  decodeEntries,
  encodeEntries,
  NOTHING_MANAGED,
  type Managed,
  type ManagerName,
} from './managed-entries.ts';

/**
 * By apiVersion of the resource: the path to its number of replicas as field names
 * (`['spec', 'replicas']`); undefined: that version has no scale. What is of a version that is not
 * named here is dropped.
 */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>;

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS_OF_SCALE = ['f:spec', 'f:replicas'];

/** The entries of the resource, as entries of its scale; undefined: there are none. */
export function toScaleEntries(
  entries: JsonValue | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const managed = managedIn(entries);
  const owners = new Map<string, OwnedFields>();
  for (const [id, owned] of managed.owners) {
    const path = elementsOf(paths.get(owned.apiVersion));
    if (path === undefined || !hasPath(owned.set, path)) continue;
    const set = fieldSetOf(REPLICAS_OF_SCALE);
    owners.set(id, { set, apiVersion: SCALE_VERSION, applied: owned.applied });
  }
  return encodeEntries({ ...managed, owners }, true);
}

/** What is no list of entries says nothing. */
function managedIn(entries: JsonValue | undefined): Managed {
  const decoded = decodeEntries(entries);
  return decoded.ok ? decoded.managed : NOTHING_MANAGED;
}

function elementsOf(path: readonly string[] | undefined): readonly string[] | undefined {
  return path?.map(fieldElement);
}

export interface ScaleWritten {
  /** managedFields of the resource before. */
  readonly parent: JsonValue | undefined;
  /** managedFields of the scale that was written. */
  readonly scale: JsonValue | undefined;
  /** Of the resource, as it is being written. */
  readonly apiVersion: string;
  readonly paths: ReplicasPaths;
}

/** The entries of the resource after its scale was written. */
export function toParentEntries({
  parent,
  scale,
  apiVersion,
  paths,
}: ScaleWritten): ManagedFieldsEntry[] | undefined {
  const before = managedIn(parent);
  const written = managedIn(scale);
  const ofScale = new Map(written.owners);
  const owners = new Map<string, OwnedFields>();
  for (const [id, owned] of before.owners) {
    if (!paths.has(owned.apiVersion)) continue;
    const path = elementsOf(paths.get(owned.apiVersion));
    if (path === undefined || !hasPath(owned.set, path)) {
      owners.set(id, owned);
    } else if (ofScale.delete(id)) {
      owners.set(id, owned);
    } else {
      const set = difference(owned.set, fieldSetOf(path));
      if (!isEmptySet(set)) owners.set(id, { ...owned, set });
    }
  }
  const replicas = elementsOf(paths.get(apiVersion)) ?? [];
  for (const [id, { set, applied }] of ofScale) {
    if (!hasPath(set, REPLICAS_OF_SCALE)) continue;
    owners.set(id, { set: fieldSetOf(replicas), apiVersion, applied });
  }
  const names = new Map<string, ManagerName>([...written.names, ...before.names]);
  return encodeEntries({ ...before, names, owners }, true);
}
