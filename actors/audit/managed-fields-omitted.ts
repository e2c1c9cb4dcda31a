/**
 * Objects without their managed fields, which are often the greater part of them.
 *
 * In Kubernetes: copyWithoutManagedFields, apiserver/pkg/audit.
 */
import { isJsonObject, listAt, type JsonObject, type JsonValue } from '../../api/json/json.ts';

/** An object, a list or a table; shares with what it was given all that is not changed. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const plain = ownOmitted(object);
  if (object['kind'] === 'Table') {
    return { ...plain, rows: listAt(object, 'rows').map(rowOmitted) };
  }
  const { items } = object;
  return Array.isArray(items) ? { ...plain, items: items.map(itemOmitted) } : plain;
}

function ownOmitted(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata) || metadata['managedFields'] === undefined) return object;
  return { ...object, metadata: { ...metadata, managedFields: undefined } };
}

function itemOmitted(item: JsonValue): JsonValue {
  return isJsonObject(item) ? ownOmitted(item) : item;
}

function rowOmitted(row: JsonValue): JsonValue {
  if (!isJsonObject(row) || !isJsonObject(row['object'])) return row;
  return { ...row, object: ownOmitted(row['object']) };
}
