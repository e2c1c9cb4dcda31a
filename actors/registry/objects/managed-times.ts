/**
 * A write that changes nothing writes nothing. Who applies the same configuration again is entered
 * with a new time all the same; if that is all there is to it, it is taken back.
 *
 * In Kubernetes: IgnoreManagedFieldsTimestampsTransformer,
 * apiserver/pkg/endpoints/handlers/fieldmanager/equality.go.
 */
import { isJsonObject, listAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { isEqualJson } from '../../../api/json/json-tree.ts';

/**
 * Whether nothing but times of entries of metadata.managedFields tells the objects apart. Both are
 * canonical; the one that is stored has a resourceVersion besides.
 */
export function isNewInTimesAlone(object: KubeObject, old: KubeObject): boolean {
  const now = listAt(object.metadata, 'managedFields');
  const before = listAt(old.metadata, 'managedFields');
  if (now.length !== before.length) return false;
  if (now.every((entry, index) => timeOf(entry) === timeOf(before[index]))) return false;
  return (
    isEqualBut('metadata', object, old) &&
    isEqualMetadata(object.metadata, old.metadata) &&
    now.every((entry, index) => isSameEntry(entry, before[index]))
  );
}

/** Gives the object the entries of the other one. */
export function keepEntries({ metadata }: KubeObject, old: KubeObject): void {
  const { managedFields } = old.metadata;
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
}

function timeOf(entry: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(entry) ? entry['time'] : undefined;
}

function isSameEntry(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return isJsonObject(one) && isJsonObject(other) && isEqualBut('time', one, other);
}

function isEqualMetadata(one: JsonObject, other: JsonObject): boolean {
  const { resourceVersion: _, ...stored } = other;
  return isEqualBut('managedFields', one, stored);
}

function isEqualBut(key: string, one: JsonObject, other: JsonObject): boolean {
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((name) => name === key || isEqualJson(one[name], other[name]))
  );
}
