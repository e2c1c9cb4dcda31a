/** What a class of volume attributes may say; neither of its parts may change. */
import type { VolumeAttributesClass } from '../../../generated/kinds/storage-v1.ts';
import { forbiddenField, type FieldErrors } from '../../../field/field-errors.ts';
import { sameMap, sameValue } from '../../rules/same-value.ts';
import { validateParameters, validateProvisioner } from '../validation.ts';

export function validateAttributesClass(attributesClass: VolumeAttributesClass): FieldErrors {
  return [
    ...validateProvisioner('driverName', attributesClass),
    ...validateParameters(attributesClass, false),
  ];
}

/** Upstream looks at what changed before it looks at the whole. */
export function validateAttributesClassChange(
  object: VolumeAttributesClass,
  old: VolumeAttributesClass,
): FieldErrors {
  return [
    ...(sameValue(object.driverName, old.driverName)
      ? []
      : [forbiddenField('driverName', 'updates to driverName are forbidden.')]),
    ...(sameMap(object.parameters, old.parameters)
      ? []
      : [forbiddenField('parameters', 'updates to parameters are forbidden.')]),
    ...validateAttributesClass(object),
  ];
}
