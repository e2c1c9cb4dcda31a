/**
 * What the kinds of storage have in common: its provisioner, and its parameters.
 *
 * In Kubernetes: pkg/apis/storage/validation.
 */
import type { StorageClass, VolumeAttributesClass } from '../../generated/kinds/storage-v1.ts';
import { keysOf } from '../../json/work-in-slices.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import { type FieldErrors, invalidValue, required, tooLong } from '../../field/field-errors.ts';
import { requiredText } from '../rules/text-validation.ts';

const PARAMETERS_MAX = 512;
const PARAMETER_BYTES_MAX = 256 * 1024;

/** The name of a provisioner or a driver at `key`, in letters of any case. */
export function validateProvisioner(key: string, name: string): FieldErrors {
  return requiredText(key, name.toLowerCase(), qualifiedNameProblems);
}

/** The parameters of a class, at most 512 of them. */
export function validateParameters(
  { parameters = {} }: StorageClass | VolumeAttributesClass,
  mayBeEmpty: boolean,
): FieldErrors {
  const field = 'parameters';
  if (keysOf(parameters).length > PARAMETERS_MAX) return [tooLong(field, PARAMETERS_MAX)];
  const entries = Object.entries(parameters);
  return [
    ...(entries.some(([key]) => key === '')
      ? [invalidValue(field, '', 'field can not be empty.')]
      : []),
    ...(bytesOf(entries) > PARAMETER_BYTES_MAX ? [tooLong(field, PARAMETER_BYTES_MAX)] : []),
    ...(mayBeEmpty || entries.length > 0
      ? []
      : [required(field, 'must contain at least one key/value pair')]),
  ];
}

/** The size of all keys and values together. */
export function bytesOf(entries: readonly (readonly [string, string])[]): number {
  let sizeBytes = 0;
  for (const [key, value] of entries) {
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  return sizeBytes;
}
