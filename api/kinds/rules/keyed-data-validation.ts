/**
 * What ConfigMaps and Secrets have in common: named values, bounded in size, that can be frozen.
 *
 * In Kubernetes: ValidateConfigMap and ValidateSecret, pkg/apis/core/validation.
 */
import type { ConfigMap, Secret } from '../../generated/kinds/core-v1.ts';
import { flatMapItems, keysOf, remembered, someItem } from '../../json/work-in-slices.ts';
import { type FieldErrors, forbiddenField } from '../../field/field-errors.ts';
import { keyPath } from '../../field/field-path.ts';
import { sameMap } from './same-value.ts';
import { configKeyProblems, invalidFor, sortedEntries } from './value-validation.ts';

/** Of all values together, as bytes. */
export const DATA_BYTES_MAX = 1024 * 1024;

/** What is wrong with the keys of `map`, which stands at `field`. */
export function validateDataKeys(
  field: string,
  map: ConfigMap['data'] | Secret['data'],
): FieldErrors {
  if (!someItem(keysOf(map ?? {}), (key) => !isPlainKey(key))) return [];
  return flatMapItems(sortedEntries<unknown>(map), ([name]) =>
    invalidFor(keyPath(field, name), name, configKeyProblems(name)),
  );
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
  keys: readonly ('data' | 'binaryData')[],
): FieldErrors {
  if (old.immutable !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  return [
    ...(object.immutable === true ? [] : [forbiddenField('immutable', detail)]),
    ...keys
      .filter((key) => !sameMap(valuesIn(object, key), valuesIn(old, key)))
      .map((key) => forbiddenField(key, detail)),
  ];
}

function valuesIn(object: ConfigMap | Secret, key: 'data' | 'binaryData') {
  if (key === 'data') return object.data;
  return 'binaryData' in object ? object.binaryData : undefined;
}

/** Of all values together; beyond {@link DATA_BYTES_MAX} they are not counted further. */
export function bytesOfValues(
  map: ConfigMap['data'] | Secret['data'],
  bytesOf: (text: string) => number,
): number {
  const sum = remembered(() => ({ bytes: 0 }));
  someItem(keysOf(map ?? {}), (key) => {
    sum.bytes += bytesOf(map?.[key] ?? '');
    return sum.bytes > DATA_BYTES_MAX;
  });
  return sum.bytes;
}

/** How many bytes a base64 text stands for. */
export function bytesInBase64(text: string): number {
  return Buffer.byteLength(text, 'base64');
}
