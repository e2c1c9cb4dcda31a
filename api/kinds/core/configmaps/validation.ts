/** What a ConfigMap may hold. In Kubernetes: ValidateConfigMap, pkg/apis/core/validation. */
import type { ConfigMap } from '../../../generated/kinds/core-v1.ts';
import { invalidValue, tooLong, type FieldErrors } from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import {
  DATA_BYTES_MAX,
  bytesInBase64,
  validateDataKeys,
  validateImmutableData,
} from '../../rules/keyed-data-validation.ts';
import { sortedEntries } from '../../rules/value-validation.ts';

/** Bytes that one UTF-16 unit can take in UTF-8. */
const UTF8_BYTES_MAX = 3;

export function validateConfigMap(configMap: ConfigMap): FieldErrors {
  const keys = Object.keys(configMap.data ?? {});
  return [
    ...validateDataKeys('data', configMap.data, keys),
    ...validateKeysInBoth(configMap),
    ...validateDataKeys('binaryData', configMap.binaryData),
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
  return sortedEntries(configMap.data)
    .filter(([key]) => Object.hasOwn(binary, key))
    .map(([key]) =>
      invalidValue(keyPath('data', key), key, 'duplicate of key present in binaryData'),
    );
}

/** Exact where it matters: what cannot be too long even at its longest is counted by characters. */
function sizeBytesOf(configMap: ConfigMap, keys: readonly string[]): number {
  const { data = {}, binaryData = {} } = configMap;
  const texts = keys.map((key) => data[key] ?? '');
  let size = 0;
  for (const text of texts) size += text.length;
  if (size * UTF8_BYTES_MAX > DATA_BYTES_MAX) {
    size = 0;
    for (const text of texts) size += Buffer.byteLength(text);
  }
  for (const base64 of Object.values(binaryData)) size += bytesInBase64(base64 ?? '');
  return size;
}
