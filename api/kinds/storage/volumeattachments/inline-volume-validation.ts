/**
 * A volume that exists nowhere else: it has what a driver needs to attach it, and nothing of what
 * binds volumes to claims.
 *
 * In Kubernetes: ValidatePersistentVolumeSpec for inline volumes, pkg/apis/core/validation.
 */
import type { PersistentVolumeSpec } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { type FieldErrors, forbiddenField, required } from '../../../field/field-errors.ts';
import { validateAccessModes } from '../../rules/claim-spec-validation.ts';
import { validateSource } from '../../rules/persistent-sources-validation.ts';
import { isMissing } from '../../rules/value-validation.ts';

const CONTEXT = 'in the context of inline volumes';
const RETAIN = 'Retain';
const FILESYSTEM = 'Filesystem';

export function validateInlineVolume(field: string, spec: PersistentVolumeSpec): FieldErrors {
  const unspecified = (key: string, isThere: boolean): FieldErrors =>
    isThere ? [forbiddenField(`${field}.${key}`, `may not be specified ${CONTEXT}`)] : [];
  const { accessModes } = spec;
  return [
    ...unspecified('claimRef', isJsonObject(spec.claimRef)),
    ...unspecified('capacity', Object.keys(spec.capacity ?? {}).length > 0),
    ...(isJsonObject(spec.csi) ? [] : [required(`${field}.csi`, `has to be specified ${CONTEXT}`)]),
    ...(isMissing(accessModes) ? [required(`${field}.accessModes`)] : []),
    ...validateAccessModes(`${field}.accessModes`, spec),
    ...validateReclaim(`${field}.persistentVolumeReclaimPolicy`, spec),
    ...unspecified('nodeAffinity', isJsonObject(spec.nodeAffinity)),
    ...validateSource(field, spec, ''),
    ...unspecified('storageClassName', (spec.storageClassName ?? '') !== ''),
    ...validateMode(`${field}.volumeMode`, spec.volumeMode),
  ];
}

function validateReclaim(field: string, spec: PersistentVolumeSpec): FieldErrors {
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  if (policy === '' || policy === RETAIN) return [];
  return [forbiddenField(field, `may only be ${RETAIN} ${CONTEXT}`)];
}

function validateMode(field: string, mode: JsonObject[string]): FieldErrors {
  if (isMissing(mode) || mode === FILESYSTEM) return [];
  return [forbiddenField(field, `may not specify volumeMode other than ${FILESYSTEM} ${CONTEXT}`)];
}
