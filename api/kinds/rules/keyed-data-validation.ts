/**
 * What ConfigMaps and Secrets have in common: named values, bounded in size, that can be frozen.
 *
 * In Kubernetes: ValidateConfigMap and ValidateSecret, pkg/apis/core/validation.
 */
import type { ConfigMap, Secret } from '../../generated/kinds/core-v1.ts';
import { objectAt, type JsonObject, type JsonValue } from '../../json/json.ts';
import { forbiddenField, type FieldErrors } from '../../field/field-errors.ts';
import { keyPath } from '../../field/field-path.ts';
import { sameMap } from './same-value.ts';
import { configKeyProblems, invalidFor, stringEntriesAt } from './value-validation.ts';

/** Of all values together, as bytes. */
export const DATA_BYTES_MAX = 1024 * 1024;

/**
 * `key` is the field that holds the values, `data` for example.
 *
 * @param keys those of the values, for a caller that has listed them.
 */
export function validateDataKeys(
  key: string,
  object: ConfigMap | Secret,
  keys = dataKeys(object, key),
): FieldErrors {
  const map = objectAt(object, key);
  if (map === undefined || keys.every(isPlainKey)) return [];
  return stringEntriesAt(object, key).flatMap(([name]) =>
    invalidFor(keyPath(key, name), name, configKeyProblems(name)),
  );
}

/** To list the keys of a large object takes as long as to look at them all. */
export function dataKeys(object: Secret | ConfigMap, key: string): readonly string[] {
  return Object.keys(objectAt(object, key) ?? {});
}

// Valid beyond doubt, and nearly all keys are: only the others are looked at closely.
const PLAIN_KEY = /^[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,199}$/;

function isPlainKey(key: string): boolean {
  return PLAIN_KEY.test(key);
}

/** Nothing may change once the old object says `immutable: true`, not even that. */
export function validateImmutableData(
  object: ConfigMap | Secret,
  old: ConfigMap | Secret,
  keys: readonly string[],
): FieldErrors {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  return [
    ...(object.immutable === true ? [] : [forbiddenField('immutable', detail)]),
    ...keys
      .filter((key) => !sameMap(valuesAt(object, key), valuesAt(old, key)))
      .map((key) => forbiddenField(key, detail)),
  ];
}

/** How many bytes a base64 text stands for. */
export function bytesInBase64(text: string): number {
  return Buffer.byteLength(text, 'base64');
}

function valuesAt(object: JsonObject, key: string): JsonValue | undefined {
  return object[key];
}
