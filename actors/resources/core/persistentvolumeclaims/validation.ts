/** What a claim may ask for. In Kubernetes: ValidatePersistentVolumeClaim. */
import { stringAt } from '../../../../api/meta/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { required, type FieldErrors } from '../../../../api/schema/field-errors.ts';
import { validateClaimSpec } from '../../claim-spec-validation.ts';
import { specOf, stringsAt } from '../../value-validation.ts';

export function validateClaim(claim: KubeObject, old?: KubeObject): FieldErrors {
  return validateClaimSpec('spec', specOf(claim), old === undefined ? undefined : specOf(old));
}

/** The rules of the `status` subresource. */
export function validateClaimStatus(claim: KubeObject): FieldErrors {
  return [
    ...(stringAt(claim.metadata, 'resourceVersion') === '' ? [required('resourceVersion')] : []),
    ...(stringsAt(specOf(claim), 'accessModes').length === 0 ? [required('Spec.accessModes')] : []),
  ];
}
