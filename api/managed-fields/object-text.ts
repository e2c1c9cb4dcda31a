/**
 * The text of an object whose managers' fields were written before, in this object or in another one: they are most
 * of what is written of a pod, and are alike in all pods of a template.
 */
import { formatJson } from '../json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { knownText } from '../json/known-texts.ts';
import type { KubeObject, ObjectMeta } from '../meta/object-meta.ts';

/** As formatJson. The fields of managers are never changed from here on. */
export function objectText(object: KubeObject): string {
  const { metadata } = object;
  const entries = lastEntries(metadata);
  if (entries === undefined) return formatJson(object);
  return membersText(object, (key, value) =>
    key === 'metadata' ? metadataText(metadata, entries) : formatJson(value),
  );
}

/** The managers, where they stand behind all else in the metadata, as a type has them. */
function lastEntries(metadata: ObjectMeta): readonly JsonObject[] | undefined {
  let last = '';
  for (const key in metadata) last = key;
  const { managedFields } = metadata;
  return last === 'managedFields' && Array.isArray(managedFields) && managedFields.length > 0
    ? managedFields
    : undefined;
}

function metadataText(metadata: ObjectMeta, entries: readonly JsonObject[]): string {
  const text = textWithout(metadata, 'managedFields');
  const comma = text === '{}' ? '' : ',';
  return `${text.slice(0, -1)}${comma}"managedFields":[${entries.map(entryText).join(',')}]}`;
}

/** A spread of metadata of every kind is copied by calls into the engine. */
function textWithout(object: JsonObject, key: string): string {
  const value = object[key];
  object[key] = undefined;
  try {
    return formatJson(object);
  } finally {
    object[key] = value;
  }
}

function entryText(entry: JsonValue): string {
  if (!isJsonObject(entry)) return formatJson(entry);
  return membersText(entry, (key, value) =>
    key === 'fieldsV1' && isJsonObject(value) ? knownText(value) : formatJson(value),
  );
}

function membersText(
  object: JsonObject,
  textOf: (key: string, value: JsonValue) => string,
): string {
  let text = '';
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}${formatJson(key)}:${textOf(key, value)}`;
  }
  return `{${text}}`;
}
