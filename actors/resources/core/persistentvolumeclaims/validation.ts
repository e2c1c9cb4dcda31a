/** What a claim may ask for. In Kubernetes: ValidatePersistentVolumeClaim. */
import { objectAt, stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { dns1123SubdomainProblems } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { validateAccessModes } from '../../access-modes-validation.ts';
import { nanosOf } from '../../amount.ts';
import { validateLabelSelector } from '../../label-selector-validation.ts';
import { invalidFor, isMissing, specOf, stringsAt } from '../../value-validation.ts';

const STORAGE = 'spec.resources[storage]';
const VOLUME_MODES = ['Block', 'Filesystem'];

export function validateClaim(claim: KubeObject): FieldErrors {
  const spec = specOf(claim);
  return [
    ...validateAccessModes(spec, 'at least 1 access mode is required'),
    ...validateLabelSelector('spec.selector', spec['selector']),
    ...validateStorage(spec),
    ...validateClass('storageClassName', spec),
    ...(isMissing(spec['volumeMode']) || VOLUME_MODES.includes(stringAt(spec, 'volumeMode'))
      ? []
      : [notSupported('spec.volumeMode', spec['volumeMode'], VOLUME_MODES)]),
    ...validateClass('volumeAttributesClassName', spec),
  ];
}

/** The rules of the `status` subresource. */
export function validateClaimStatus(claim: KubeObject): FieldErrors {
  return [
    ...(stringAt(claim.metadata, 'resourceVersion') === '' ? [required('resourceVersion')] : []),
    ...(stringsAt(specOf(claim), 'accessModes').length === 0 ? [required('Spec.accessModes')] : []),
  ];
}

function validateStorage(spec: JsonObject): FieldErrors {
  const storage = objectAt(objectAt(spec, 'resources'), 'requests')?.['storage'];
  if (isMissing(storage)) return [required(STORAGE)];
  return nanosOf(storage) > 0n ? [] : [invalidValue(STORAGE, storage, 'must be greater than zero')];
}

function validateClass(key: string, spec: JsonObject): FieldErrors {
  const name = stringAt(spec, key);
  return name === '' ? [] : invalidFor(`spec.${key}`, name, dns1123SubdomainProblems(name));
}
