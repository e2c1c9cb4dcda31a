/**
 * ConfigMaps: small files and settings for pods, and what they may hold.
 *
 * In Kubernetes: registry/core/configmap; ValidateConfigMap, pkg/apis/core/validation.
 */
import { defineKind } from '../../kind.ts';
import type { ConfigMap } from '../../../generated/kinds/core-v1.ts';
import { flatMapItems } from '../../../json/work-in-slices.ts';
import { type FieldErrors, invalidValue, tooLong } from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import {
  bytesInBase64,
  bytesOfValues,
  DATA_BYTES_MAX,
  validateDataKeys,
  validateImmutableData,
} from '../../rules/keyed-data-validation.ts';
import { sortedEntries } from '../../rules/value-validation.ts';

/** The kind ConfigMap; the data of an immutable one cannot change. */
export const configMaps = defineKind('v1/configmaps', {
  rules: {
    validate: validateConfigMap,
    validateUpdate: validateConfigMapUpdate,
  },
});

/** Bytes that one UTF-16 unit can take in UTF-8. */
const UTF8_BYTES_MAX = 3;

export function validateConfigMap(configMap: ConfigMap): FieldErrors {
  return [
    ...validateDataKeys('data', configMap.data),
    ...validateKeysInBoth(configMap),
    ...validateDataKeys('binaryData', configMap.binaryData),
    // The whole object is too long; upstream names it by an empty path, which prints as `[]`.
    ...(isTooLong(configMap) ? [tooLong('[]', DATA_BYTES_MAX)] : []),
  ];
}

function validateConfigMapUpdate(configMap: ConfigMap, old: ConfigMap): FieldErrors {
  return [
    ...validateImmutableData(configMap, old, ['data', 'binaryData']),
    ...validateConfigMap(configMap),
  ];
}

function validateKeysInBoth(configMap: ConfigMap): FieldErrors {
  const binary = configMap.binaryData;
  if (binary === undefined) return [];
  return flatMapItems(sortedEntries(configMap.data), ([key]) =>
    Object.hasOwn(binary, key)
      ? [invalidValue(keyPath('data', key), key, 'duplicate of key present in binaryData')]
      : [],
  );
}

/** What cannot be too long even at its longest is counted by characters. */
function isTooLong({ data, binaryData }: ConfigMap): boolean {
  const units = bytesOfValues(data, (text) => text.length);
  if (units * UTF8_BYTES_MAX <= DATA_BYTES_MAX && binaryData === undefined) return false;
  const texts = bytesOfValues(data, (text) => Buffer.byteLength(text));
  return texts + bytesOfValues(binaryData, bytesInBase64) > DATA_BYTES_MAX;
}
