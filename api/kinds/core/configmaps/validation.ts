/** What a ConfigMap may hold. In Kubernetes: ValidateConfigMap, pkg/apis/core/validation. */
import type { ConfigMap } from '../../../generated/kinds/core-v1.ts';
import { objectAt } from '../../../json/json.ts';
import { invalidValue, tooLong, type FieldErrors } from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import {
  DATA_BYTES_MAX,
  bytesInBase64,
  dataKeys,
  validateDataKeys,
  validateImmutableData,
} from '../../rules/keyed-data-validation.ts';
import { stringEntriesAt } from '../../rules/value-validation.ts';

/** Bytes that one UTF-16 unit can take in UTF-8. */
const UTF8_BYTES_MAX = 3;

export function validateConfigMap(configMap: ConfigMap): FieldErrors {
  const keys = dataKeys(configMap, 'data');
  return [
    ...validateDataKeys('data', configMap, keys),
    ...validateKeysInBoth(configMap),
    ...validateDataKeys('binaryData', configMap),
    // The whole object is too long; upstream names it by an empty path, which prints as `[]`.
    ...(sizeBytesOf(configMap, keys) > DATA_BYTES_MAX ? [tooLong('[]', DATA_BYTES_MAX)] : []),
  ];
}

export function validateConfigMapUpdate(configMap: ConfigMap, old: ConfigMap): FieldErrors {
  return [
    ...validateImmutableData(configMap, old, ['data', 'binaryData']),
    ...validateConfigMap(configMap),
  ];
}

function validateKeysInBoth(configMap: ConfigMap): FieldErrors {
  const binary = configMap.binaryData;
  if (binary === undefined) return [];
  return stringEntriesAt(configMap, 'data')
    .filter(([key]) => Object.hasOwn(binary, key))
    .map(([key]) =>
      invalidValue(keyPath('data', key), key, 'duplicate of key present in binaryData'),
    );
}

/** Exact where it matters: what cannot be too long even at its longest is counted by characters. */
function sizeBytesOf(configMap: ConfigMap, keys: readonly string[]): number {
  const texts = textsAt(configMap, 'data', keys);
  let size = 0;
  for (const text of texts) size += text.length;
  if (size * UTF8_BYTES_MAX > DATA_BYTES_MAX) {
    size = 0;
    for (const text of texts) size += Buffer.byteLength(text);
  }
  const binary = dataKeys(configMap, 'binaryData');
  for (const base64 of textsAt(configMap, 'binaryData', binary)) size += bytesInBase64(base64);
  return size;
}

function textsAt(configMap: ConfigMap, field: string, keys: readonly string[]): string[] {
  const map = objectAt(configMap, field);
  const texts: string[] = [];
  for (const key of keys) {
    const value = map?.[key];
    if (typeof value === 'string') texts.push(value);
  }
  return texts;
}
